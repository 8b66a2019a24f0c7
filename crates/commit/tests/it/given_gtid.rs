//! Purpose: a replica's transactions keep the GTIDs of their source.
//!
//! Requirements: a given GTID stands in the binlog and in `gtid_executed`, also after a restart; this server's own numbers
//! go on, and go round given ones of its own UUID.
//!
//! Method: given and own transactions in turn, a restart, the GTID events of the files.

use binlog::decode::Event;
use binlog::{Gtid, Uuid};
use commit::StrategyKind;
use vfs::sim::SimDisk;

use super::power_loss::WITH_BINLOG;
use super::world::{Options, World};

const OWN: Uuid = Uuid([7; 16]);
const OTHER: Uuid = Uuid([9; 16]);

#[test]
fn given_gtids_are_kept_and_own_numbers_go_round_them() {
    for strategy in [StrategyKind::InRedo, StrategyKind::Group, StrategyKind::Serial, StrategyKind::Enhanced]
    {
        let disk = SimDisk::new();
        let options = Options { gtid: true, strategy, ..WITH_BINLOG };
        let mut world = World::open(&disk, options).unwrap();
        for given in [Some((OTHER, 5)), None, Some((OWN, 2)), None, Some((OTHER, 6))] {
            let changes = vec![(1, Some(vec![1]))];
            let committing = match given {
                Some((sid, gno)) => world.submit_given(Gtid { sid, gno }, &changes),
                None => world.submit(&changes),
            };
            drop(world.block_on(committing));
        }
        let executed = "07070707-0707-0707-0707-070707070707:1-3,\n09090909-0909-0909-0909-090909090909:5-6";
        let shown = |world: &World| world.pipeline.publisher().tuple().gtid_executed.to_string();
        assert_eq!(shown(&world), executed);
        world.drive();
        drop(world);
        let world = World::open(&disk, options).unwrap();
        assert_eq!(shown(&world), executed, "{strategy:?}");
        let mut logged = Vec::new();
        world.each_event(|_, event| {
            if let Event::Gtid(event) = event {
                logged.extend(event.gtid.map(|gtid| (gtid.sid, gtid.gno)));
            }
        });
        assert_eq!(logged, [(OTHER, 5), (OWN, 1), (OWN, 2), (OWN, 3), (OTHER, 6)]);
    }
}
