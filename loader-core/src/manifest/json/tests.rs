use super::*;
use std::string::String;
use std::vec::Vec as StdVec;

fn error(bytes: &[u8]) -> (ErrorKind, u32, u32) {
    let error = parse(bytes).map(|_| ()).unwrap_err();
    (error.kind, error.line, error.column)
}

fn text(value: Option<Value<'_>>) -> StdVec<u8> {
    value.unwrap().string().unwrap().to_text().unwrap().to_vec()
}

#[test]
fn members_are_found_by_name() {
    let root =
        parse(br#"{"a": {"x": [1, {"y": "no"}], "b": "yes"}, "b": true, "n": null, "e": {}}"#).unwrap();
    assert_eq!(text(root.member("a").unwrap().member("b")), b"yes");
    assert_eq!(root.member("b").unwrap().truth(), Some(true));
    assert_eq!(root.member("n").unwrap().kind(), Kind::Null);
    assert!(root.member("y").is_none());
    assert_eq!(root.member("e").unwrap().members().count(), 0);
    assert_eq!(root.members().count(), 4);
}

#[test]
fn lists_give_their_values() {
    let root = parse(b"[ 1 , [2,3], {\"a\":[]} , \"s\" ]").unwrap();
    let kinds: StdVec<Kind> = root.items().map(|item| item.kind()).collect();
    assert_eq!(kinds, [Kind::Number, Kind::List, Kind::Object, Kind::String]);
    assert_eq!(parse(b"[]").unwrap().items().count(), 0);
    assert_eq!(parse(b"7").unwrap().items().count(), 0);
}

#[test]
fn the_first_of_duplicate_keys_counts_in_any_case() {
    let root = parse(br#"{"Key": "first", "key": "second"}"#).unwrap();
    assert_eq!(text(root.member("KEY")), b"first");
}

#[test]
fn a_key_may_be_written_with_escapes() {
    let root = parse(br#"{"\u0049C\u0044": 1, "ICDs": 2}"#).unwrap();
    assert_eq!(root.member("ICD").unwrap().kind(), Kind::Number);
    assert_eq!(root.member("ICDs").unwrap().line(), 1);
    assert!(root.member("IC").is_none());
}

#[test]
fn escapes_become_characters() {
    let root = parse(br#"["\"\\\/\b\f\n\r\t", "\u00e9\u20AC", "\ud83d\ude00", "a\u0000b"]"#).unwrap();
    let texts: StdVec<StdVec<u8>> = root.items().map(|item| text(Some(item))).collect();
    assert_eq!(texts[0], b"\"\\/\x08\x0c\n\r\t");
    assert_eq!(texts[1], "\u{e9}\u{20ac}".as_bytes());
    assert_eq!(texts[2], "\u{1f600}".as_bytes());
    assert_eq!(texts[3], b"a\0b");
}

#[test]
fn shipped_oddities_are_taken() {
    for odd in [
        &b"\xef\xbb\xbf {\"a\": \"v\"}"[..],
        b"{\"a\": \"v\"} trailing }{ bytes \0",
        b"\x0b\x0c\x1f{\"a\"\t:\r\n\"v\"}",
        b"{\"a\": \"v\", \"b\": 01, \"c\": 1., \"d\": -2.5e+3}",
        b"{\"\x01\xff\": 0, \"a\": \"v\"}",
    ] {
        assert_eq!(text(parse(odd).unwrap().member("a")), b"v", "{odd:?}");
    }
    assert_eq!(text(parse(b"{\"a\": \"\x01\n\xff\"}").unwrap().member("a")), b"\x01\n\xff");
}

#[test]
fn errors_say_where() {
    assert_eq!(error(b""), (ErrorKind::Empty, 1, 1));
    assert_eq!(error(b" \n\t"), (ErrorKind::Empty, 2, 2));
    assert_eq!(error(b"\xff\xfe{\0}\0"), (ErrorKind::Utf16, 1, 1));
    assert_eq!(error(b"{\n  \"a\": 1,\n}"), (ErrorKind::TrailingComma, 2, 9));
    assert_eq!(error(b"[1,]"), (ErrorKind::TrailingComma, 1, 3));
    assert_eq!(error(b"{\n  \"a\": 1\n  \"b\": 2}"), (ErrorKind::MissingComma, 3, 3));
    assert_eq!(error(b"{\"a\" 1}"), (ErrorKind::MissingColon, 1, 6));
    assert_eq!(error(b"{a: 1}"), (ErrorKind::KeyNotAString, 1, 2));
    assert_eq!(error(b"{,}"), (ErrorKind::KeyNotAString, 1, 2));
    assert_eq!(error(b"[1}"), (ErrorKind::MissingComma, 1, 3));
    assert_eq!(error(b"// note\n{}"), (ErrorKind::NotAValue, 1, 1));
    assert_eq!(error(b"{\"a\": \0}"), (ErrorKind::NotAValue, 1, 7));
    assert_eq!(error(b"[truth]"), (ErrorKind::NotAValue, 1, 2));
    assert_eq!(error(b"[\"abcdefghijk"), (ErrorKind::UnexpectedEnd, 1, 14));
    assert_eq!(error(b"[-]"), (ErrorKind::BadNumber, 1, 2));
    assert_eq!(error(br#"["\x41"]"#), (ErrorKind::BadEscape, 1, 3));
    assert_eq!(error(br#"["\ud800"]"#), (ErrorKind::BadEscape, 1, 3));
    assert_eq!(error(br#"["\udc00\ud800"]"#), (ErrorKind::BadEscape, 1, 3));
    assert_eq!(error(br#"["\u12g4"]"#), (ErrorKind::BadEscape, 1, 3));
}

#[test]
fn every_cut_of_a_document_is_refused() {
    let whole = br#"{"a": [1, true, {"b": "\u00e9"}], "c": null}"#;
    for cut in 1..whole.len() {
        let kind = error(&whole[..cut]).0;
        let of_the_end = matches!(
            kind,
            ErrorKind::UnexpectedEnd | ErrorKind::BadEscape | ErrorKind::NotAValue | ErrorKind::BadNumber
        );
        assert!(of_the_end, "{cut}: {kind:?}");
    }
    assert!(parse(whole).is_ok());
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| String::from("[").repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(64).as_bytes()).is_ok());
    assert_eq!(error(nested(65).as_bytes()), (ErrorKind::TooDeep, 1, 65));
    assert_eq!(error(&b"{\"a\":".repeat(10_000)).0, ErrorKind::TooDeep);
    assert_eq!(error(&b"[".repeat(if cfg!(miri) { 100 } else { 10_000_000 })).0, ErrorKind::TooDeep);
}

#[test]
fn siblings_may_be_many() {
    let many = if cfg!(miri) { 100 } else { 100_000 };
    let list = std::format!("[{}0]", "[[],{}],".repeat(many));
    assert_eq!(parse(list.as_bytes()).unwrap().items().count(), many + 1);
}

#[test]
fn blanks_and_strings_may_have_any_length() {
    for length in 0..40 {
        for blank in [b' ', b'\n', 1] {
            let blanks = [blank].repeat(length);
            for plain in [b'a', b'\x7f', 0xff, b'!', 0] {
                let string = [plain].repeat(length);
                let document =
                    [&blanks[..], b"[\"", &string, b"\"", &blanks, b",\"", &string, b"\\n\"", &blanks, b"]"]
                        .concat();
                let root = parse(&document).unwrap();
                let texts: StdVec<StdVec<u8>> = root.items().map(|item| text(Some(item))).collect();
                assert_eq!(texts, [string.clone(), [&string[..], b"\n"].concat()]);
                assert_eq!(root.range(), length..document.len());
                assert_eq!(error(&document[..document.len() - 1]).0, ErrorKind::UnexpectedEnd);
            }
            let document = [&b"["[..], &blanks, b"\0]"].concat();
            assert_eq!(parse(&document).map(|_| ()).unwrap_err().kind, ErrorKind::NotAValue);
        }
    }
}

#[test]
fn the_members_behind_a_value_are_those_of_its_object() {
    let root = parse(br#"{"a": {"b": 1}, "c": 2, "d": 3 }, {"e": 4}"#).unwrap();
    let keys = |members: Members<'_>| -> StdVec<StdVec<u8>> {
        members.map(|(key, _)| key.to_text().unwrap().to_vec()).collect()
    };
    assert_eq!(keys(root.member("a").unwrap().members_behind()), [b"c", b"d"]);
    assert_eq!(keys(root.member("d").unwrap().members_behind()), [b""; 0]);
}

/// Returns a generator of arbitrary but repeatable numbers (xorshift).
fn noise(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn damaged_documents_never_panic() {
    let whole =
        br#"{"file_format_version": "1.0.1", "ICD": {"library_path": "\ud83d\ude00\\", "n": [-1e5, {}]}}"#;
    let mut state = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..if cfg!(miri) { 30 } else { 20_000 } {
        let mut damaged = whole.to_vec();
        for _ in 0..=noise(&mut state) % 4 {
            let at = usize::try_from(noise(&mut state) % damaged.len() as u64).unwrap();
            let byte = br#"{}[]",:\u0d8 tfn-"#[usize::try_from(noise(&mut state) % 17).unwrap()];
            damaged[at] = byte;
        }
        if let Ok(root) = parse(&damaged) {
            for (key, value) in root.members() {
                let _ = key.to_text();
                value.members().for_each(|(_, inner)| drop(inner.string().map(Str::to_text)));
            }
        }
    }
}
