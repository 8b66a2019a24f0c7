//! What a text is, before it is parsed.

use crate::whole::World;

#[test]
fn a_comment_alone_does_nothing_and_nothing_at_all_is_an_error() {
    let world = World::start();
    let mut root = world.root();
    for comment in ["-- x", "/* x */", "# x", "/*!40101 */", "/*!99999 x */", "-- x\n;"] {
        let answer = root.query(comment).unwrap();
        assert!(answer.columns.is_empty(), "{comment}");
    }
    for nothing in ["", " ", "\n", ";"] {
        assert_eq!(root.query(nothing).unwrap_err().code(), 1065, "{nothing:?}");
    }
    world.stop();
}
