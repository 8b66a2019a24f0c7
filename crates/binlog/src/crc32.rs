//! CRC32 (IEEE) of events, most of which are short.
//!
//! `crc32fast` hashes what is below 128 bytes by 16 tables of 1 KiB, half of what the processor's first cache holds, and four of the five events
//! of a transaction that changes one row are that short. Here they are folded 16 bytes at a time, as its long ones are, and
//! need no table.
//!
//! Source: Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009: folding by
//! 128 bits and the reduction, bit-reflected, with its constants for this polynomial.

/// From here on `crc32fast` folds as well, four blocks at once.
#[cfg(target_arch = "x86_64")]
const SHORT_MAX: usize = 128;

/// The CRC32 of these bytes, as an event ends with it.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if (folded::BLOCK..SHORT_MAX).contains(&bytes.len())
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("sse4.1")
    {
        // SAFETY: the processor has what the function is compiled for; SSE4.1 includes SSSE3.
        return unsafe { folded::crc32(bytes) };
    }
    crc32fast::hash(bytes)
}

#[cfg(target_arch = "x86_64")]
mod folded {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_blendv_epi8, _mm_clmulepi64_si128, _mm_cvtsi32_si128, _mm_extract_epi32,
        _mm_set_epi32, _mm_set_epi64x, _mm_shuffle_epi8, _mm_srli_si128, _mm_xor_si128,
    };

    /// Bytes that are folded at a time.
    pub(super) const BLOCK: usize = 16;

    /// What the first and the second half of a block are multiplied by to stand one block further: `k3` and `k4` of the paper.
    const ONE_BLOCK: (i64, i64) = (0x1_7519_97d0, 0x0_ccaa_009e);
    /// What 64 bits are reduced by: `k5` of the paper.
    const HALF: i64 = 0x1_63cd_6124;
    /// The polynomial, and 2^64 divided by it.
    const BARRETT: (i64, i64) = (0x1_db71_0641, 0x1_f701_1641);

    /// Windows of this move the bytes of a block: that from `n` on moves its first `n` to its end, that from `16 + n` on the others to
    /// its begin. What comes from nowhere is zero.
    const MOVES: [u8; 3 * BLOCK] = {
        let mut moves = [0x80; 3 * BLOCK];
        let mut place = 0_u8;
        while (place as usize) < BLOCK {
            moves[BLOCK + place as usize] = place;
            place += 1;
        }
        moves
    };

    /// The CRC32 of at least [`BLOCK`] bytes.
    #[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
    pub(super) fn crc32(bytes: &[u8]) -> u32 {
        let (blocks, rest) = bytes.as_chunks();
        let (first, blocks) = blocks.split_first().expect("the caller has at least one block");
        let mut state = _mm_xor_si128(load(first), _mm_cvtsi32_si128(-1));
        for block in blocks {
            state = _mm_xor_si128(one_block_on(state), load(block));
        }
        if !rest.is_empty() {
            // As many bytes of the state as are left go one block on; the others move up, and the rest comes behind them.
            let moves = |from| load(MOVES[from..].first_chunk().expect("three blocks"));
            let (to_end, to_begin) = (moves(rest.len()), moves(BLOCK + rest.len()));
            let last = load(bytes.last_chunk().expect("at least one block"));
            let kept = _mm_blendv_epi8(last, _mm_shuffle_epi8(state, to_begin), to_end);
            state = _mm_xor_si128(one_block_on(_mm_shuffle_epi8(state, to_end)), kept);
        }
        reduce(state)
    }

    #[target_feature(enable = "sse2")]
    fn load(block: &[u8; BLOCK]) -> __m128i {
        let (halves, _) = block.as_chunks();
        _mm_set_epi64x(i64::from_le_bytes(halves[1]), i64::from_le_bytes(halves[0]))
    }

    #[target_feature(enable = "pclmulqdq")]
    fn one_block_on(state: __m128i) -> __m128i {
        let by = _mm_set_epi64x(ONE_BLOCK.1, ONE_BLOCK.0);
        _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(state, by), _mm_clmulepi64_si128::<0x11>(state, by))
    }

    /// From 128 bits to 64 behind 32 zeros, to 32, and by Barrett's reduction to what the polynomial leaves.
    #[target_feature(enable = "pclmulqdq,sse4.1")]
    fn reduce(state: __m128i) -> u32 {
        let low = _mm_set_epi32(0, 0, 0, -1);
        let half = _mm_set_epi64x(0, ONE_BLOCK.1);
        let state = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(state, half), _mm_srli_si128::<8>(state));
        let by = _mm_set_epi64x(0, HALF);
        let part = _mm_clmulepi64_si128::<0x00>(_mm_and_si128(state, low), by);
        let state = _mm_xor_si128(part, _mm_srli_si128::<4>(state));
        let by = _mm_set_epi64x(BARRETT.1, BARRETT.0);
        let times = _mm_clmulepi64_si128::<0x10>(_mm_and_si128(state, low), by);
        let product = _mm_clmulepi64_si128::<0x00>(_mm_and_si128(times, low), by);
        !_mm_extract_epi32::<1>(_mm_xor_si128(state, product)).cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_the_crc_of_the_library() {
        let mut state = 1_u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        })
        .take(1024)
        .collect();
        for len in 0..300 {
            for start in [0, 1, 7, 500] {
                let piece = &bytes[start..start + len];
                assert_eq!(crc32(piece), crc32fast::hash(piece), "{len} bytes from {start} on");
            }
        }
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926, "the check value of the CRC catalogue");
        assert_eq!(crc32(&[0; 64]), crc32fast::hash(&[0; 64]));
    }
}
