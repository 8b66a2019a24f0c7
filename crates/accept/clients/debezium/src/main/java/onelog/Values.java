package onelog;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.apache.kafka.connect.data.Schema;

/** Makes Debezium's values text. */
final class Values {
    /** How many bytes are written whole. */
    private static final int WHOLE_MAX = 256;

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

    private Values() {}

    static String text(Schema schema, Object value) {
        if (value == null) {
            return null;
        }
        if (schema.name() != null) {
            return logical(schema.name(), value);
        }
        return switch (schema.type()) {
            case INT8, INT16, INT32, INT64 -> value.toString();
            case FLOAT32 -> String.format("%08x", Float.floatToIntBits((Float) value));
            case FLOAT64 -> String.format("%016x", Double.doubleToLongBits((Double) value));
            case STRING -> characters((String) value);
            case BYTES -> bytes(value);
            default -> throw new IllegalStateException("no text for " + schema.type());
        };
    }

    private static String logical(String name, Object value) {
        return switch (name) {
            case "io.debezium.time.Date" -> LocalDate.ofEpochDay((Integer) value).toString();
            case "io.debezium.time.Timestamp" -> instant((Long) value * 1000);
            case "io.debezium.time.MicroTimestamp" -> instant((Long) value);
            case "io.debezium.time.MicroTime" -> time((Long) value);
            case "io.debezium.time.ZonedTimestamp" -> instant(micros(OffsetDateTime.parse((String) value).toInstant()));
            case "io.debezium.data.Enum", "io.debezium.data.EnumSet" -> (String) value;
            case "io.debezium.data.Json" -> ((String) value).replace(" ", "");
            case "io.debezium.time.Year" -> value.toString();
            case "io.debezium.data.Bits" -> littleEndian((byte[]) value).toString();
            case "org.apache.kafka.connect.data.Decimal" -> ((BigDecimal) value).toPlainString();
            default -> throw new IllegalStateException("no text for " + name);
        };
    }

    private static BigInteger littleEndian(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int at = 0; at < bytes.length; at++) {
            reversed[bytes.length - 1 - at] = bytes[at];
        }
        return new BigInteger(1, reversed);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }

    private static String instant(long micros) {
        Instant seconds = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L));
        return SECONDS.format(seconds) + fraction(Math.floorMod(micros, 1_000_000L));
    }

    private static String time(long micros) {
        long whole = Math.abs(micros) / 1_000_000;
        String clock = String.format("%02d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
        return (micros < 0 ? "-" : "") + clock + fraction(Math.abs(micros) % 1_000_000);
    }

    private static String fraction(long micros) {
        return micros == 0 ? "" : String.format(".%06d", micros).replaceAll("0+$", "");
    }

    private static String characters(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return bytes.length > WHOLE_MAX ? digest(bytes) : value;
    }

    private static String bytes(Object value) {
        byte[] bytes;
        if (value instanceof ByteBuffer buffer) {
            bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
        } else {
            bytes = (byte[]) value;
        }
        return bytes.length > WHOLE_MAX ? digest(bytes) : "x" + HexFormat.of().formatHex(bytes);
    }

    private static String digest(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return String.format("#%d:%08x", bytes.length, crc.getValue());
    }
}
