//! Room that is granted: returned when messages are consumed, several at a time.

use crate::support::{Hand, at, flow, topology};
use consort_federation::flow::{Flow, FlowId, FlowInput, FlowOutput, Message};

#[test]
fn credits_come_back_at_consumption_in_lots_of_half_the_capacity() {
    for (capacity, lot) in [(1, 1), (2, 1), (3, 1), (4, 2), (7, 3), (64, 32)] {
        let wide = Flow { capacity, ..flow("x", 1, &[0], 1) };
        let mut node = Hand::new(&topology(2, vec![wide]), 0, None);
        let mut granted = Vec::new();
        for time in 0..2 * i64::from(lot) {
            node.arrives("x", at(time), Some(at(time + 1)));
            let out = node.handle(FlowInput::Consume).unwrap();
            granted.extend(out.iter().filter_map(|output| match output {
                FlowOutput::Credit { count, .. } => Some((time + 1, *count)),
                _ => None,
            }));
        }
        let lots = i64::from(lot);
        assert_eq!(granted, [(lots, lot), (2 * lots, lot)], "capacity {capacity}");
    }
}

#[test]
fn room_that_is_consumed_but_not_granted_again_is_not_room() {
    let wide = Flow { capacity: 4, ..flow("x", 1, &[0], 1) };
    let mut node = Hand::new(&topology(2, vec![wide]), 0, None);
    for time in 0..4 {
        node.arrives("x", at(time), Some(at(time + 1)));
    }
    assert_eq!(node.consume(), ["x"]);
    let message = Message { tag: at(4), next: None, payload: 0 };
    let arrived = FlowInput::Arrived { flow: FlowId(0), message };
    let error = node.handle(arrived.clone()).expect_err("one credit of two is owed");
    assert_eq!(
        error.to_string(),
        "flow `x`: a message at tick 4.0 came without credit: there is room for 4"
    );
    assert_eq!(node.consume(), ["x"]);
    assert_eq!(node.handle(arrived), Ok(Vec::new()));
}
