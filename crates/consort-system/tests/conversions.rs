//! The table of conversions in `docs/conversions.md` is that of the code.

use consort_core::ValueType;
use consort_core::model::Enumeration;
use consort_system::{ConvertingBlock, TypeConversion, conversion};
use std::fmt::Write as _;

const BEGIN: &str = "<!-- begin of the table -->\n";
const END: &str = "<!-- end of the table -->";
const DOCUMENT: &str = include_str!("../../../docs/conversions.md");

/// What a pair of types comes to, for an enumeration with every item and with small ones.
fn sign(from: ValueType, to: ValueType) -> &'static str {
    let of = |items: &[i64]| {
        let items = items.iter().map(|item| (item.to_string(), *item)).collect();
        conversion(from, to, Some(&Enumeration { name: "E".to_owned(), items }))
    };
    let (small, large) = (of(&[1, 2, 3]), of(&[i64::MIN, i64::MAX]));
    match large {
        _ if small != large => "i",
        TypeConversion::Exact => "=",
        TypeConversion::Rounded => "≈",
        TypeConversion::OnRequest(ConvertingBlock::Threshold) => "T",
        TypeConversion::OnRequest(ConvertingBlock::Round) => "R",
        TypeConversion::Refused => "-",
    }
}

fn table() -> String {
    let names: Vec<&str> = ValueType::ALL.iter().map(|it| it.name()).collect();
    let mut text = format!("\n| | {} |\n", names.join(" | "));
    let _ = writeln!(text, "|---|{}", ":-:|".repeat(names.len()));
    for from in ValueType::ALL {
        let cells: Vec<&str> = ValueType::ALL.iter().map(|to| sign(from, *to)).collect();
        let _ = writeln!(text, "| {from} | {} |", cells.join(" | "));
    }
    text + "\n"
}

#[test]
fn the_table_in_the_documents_is_that_of_the_code() {
    let (_, rest) = DOCUMENT.split_once(BEGIN).expect("the table has a begin");
    let (found, _) = rest.split_once(END).expect("the table has an end");
    let table = table();
    assert!(found == table, "write this table into docs/conversions.md:\n{table}");
}

/// What users and published systems rely on.
#[test]
fn pairs_that_matter_are_as_they_were_decided() {
    use ValueType::{Binary, Boolean, Clock, Enumeration, Float32, Float64, Int8, Int16, Int32};
    use ValueType::{Int64, String, UInt32, UInt64};
    for (from, to, expected) in [
        (Boolean, Float64, "="),
        (Boolean, Float32, "="),
        (Boolean, Int8, "="),
        (Int32, Float64, "="),
        (UInt32, Float64, "="),
        (Int16, Float32, "="),
        (Enumeration, Float64, "i"),
        (Enumeration, Int32, "i"),
        (Enumeration, Int64, "="),
        (Int64, Float64, "≈"),
        (UInt64, Float64, "≈"),
        (Int32, Float32, "≈"),
        (Float64, Float32, "≈"),
        (Float64, Boolean, "T"),
        (Int32, Boolean, "T"),
        (Enumeration, Boolean, "T"),
        (Float64, Int32, "R"),
        (Float32, Enumeration, "R"),
        (Int64, Int32, "R"),
        (Int8, UInt64, "R"),
        (Boolean, Enumeration, "R"),
        (Boolean, Clock, "-"),
        (Clock, Float64, "-"),
        (String, Float64, "-"),
        (Float64, String, "-"),
        (Binary, String, "-"),
    ] {
        assert_eq!(sign(from, to), expected, "{from} to {to}");
    }
}

/// Exact means exact: the ends of a type arrive as themselves.
#[test]
fn what_is_exact_loses_nothing_at_its_ends() {
    let whole = |it: &ValueType| it.is_integer() && *it != ValueType::Enumeration;
    for from in ValueType::ALL.into_iter().filter(whole) {
        let (min, max) = consort_system::conversion::whole_numbers(from);
        for end in [min, max] {
            let exact = |to| conversion(from, to, None) == TypeConversion::Exact;
            assert_eq!(exact(ValueType::Float64), from.integer_bits() <= 32, "{from}");
            assert!(!exact(ValueType::Float64) || end as f64 as i128 == end, "{from}");
            assert!(!exact(ValueType::Float32) || end as f32 as i128 == end, "{from}");
            for to in ValueType::ALL.into_iter().filter(whole).filter(|to| exact(*to)) {
                let (low, high) = consort_system::conversion::whole_numbers(to);
                assert!((low..=high).contains(&end), "{from} to {to}");
            }
        }
    }
}
