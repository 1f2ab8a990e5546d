//! The messages, byte by byte.

use super::wire::{Features, LONGEST_NAME, Malformed, Message, Method, library, supported_features};
use sha2::{Digest, Sha256};
use std::vec::Vec;

const METHODS: [(Method, &str); 5] = [
    (Method::Get, "Get"),
    (Method::ConnectToManifestFs, "ConnectToManifestFs"),
    (Method::ConnectToDeviceFs, "ConnectToDeviceFs"),
    (Method::GetSupportedFeatures, "GetSupportedFeatures"),
    (Method::GetVmexResource, "GetVmexResource"),
];

#[test]
fn the_ordinals_of_all_five_methods_are_hashes_of_their_names() {
    for (method, name) in METHODS {
        let hash = Sha256::digest(std::format!("fuchsia.vulkan.loader/Loader.{name}"));
        let ordinal = u64::from_le_bytes(hash[..8].try_into().unwrap()) & 0x7fff_ffff_ffff_ffff;
        assert_eq!(method.ordinal(), ordinal, "{name}");
    }
}

#[test]
fn headers_have_version_magic_and_no_transaction_number() {
    let messages = [
        (Message::get(b"").unwrap(), Method::Get),
        (Message::connect_to_manifest_fs(), Method::ConnectToManifestFs),
        (Message::connect_to_device_fs(), Method::ConnectToDeviceFs),
        (Message::get_supported_features(), Method::GetSupportedFeatures),
    ];
    for (message, method) in messages {
        let (header, _) = message.bytes().split_at(16);
        assert_eq!(header[..8], [0, 0, 0, 0, 2, 0, 0, 1]);
        assert_eq!(header[8..], method.ordinal().to_le_bytes());
    }
    assert_eq!(Message::get_supported_features().bytes().len(), 16);
    assert_eq!(Message::connect_to_manifest_fs().bytes()[16..], [1, 0, 0, 0, 255, 255, 255, 255]);
    assert_eq!(Message::connect_to_device_fs().bytes()[16..], [255, 255, 255, 255, 0, 0, 0, 0]);
}

#[test]
fn names_are_counted_and_padded_with_zeros() {
    for (length, padded) in [(0, 0), (7, 8), (8, 8), (9, 16), (64, 64)] {
        let name: Vec<u8> = (0..length).map(|number| b'a' + number % 26).collect();
        let message = Message::get(&name).unwrap();
        let mut expected = std::vec![0, 0, 0, 0, 2, 0, 0, 1];
        expected.extend(0x73db_bfb6_2e99_320a_u64.to_le_bytes());
        expected.extend((length as u64).to_le_bytes());
        expected.extend([255; 8]);
        expected.extend(&name);
        expected.resize(32 + padded, 0);
        assert_eq!(message.bytes(), expected, "{length}");
    }
}

#[test]
fn a_name_beyond_the_limit_is_not_sent() {
    assert!(Message::get(&[b'a'; LONGEST_NAME]).is_some());
    assert!(Message::get(&[b'a'; LONGEST_NAME + 1]).is_none());
}

fn answer(method: Method, parameter: u32) -> Vec<u8> {
    let mut bytes = std::vec![7, 0, 0, 0x80, 2, 0, 0, 1];
    bytes.extend(method.ordinal().to_le_bytes());
    bytes.extend(parameter.to_le_bytes());
    bytes.extend([0; 4]);
    bytes
}

#[test]
fn a_library_is_there_if_marker_and_handle_say_so() {
    assert_eq!(library(&answer(Method::Get, u32::MAX), 1), Ok(true));
    assert_eq!(library(&answer(Method::Get, 0), 0), Ok(false));
    assert_eq!(library(&answer(Method::Get, u32::MAX), 0), Err(Malformed::Handles));
    assert_eq!(library(&answer(Method::Get, u32::MAX), 2), Err(Malformed::Handles));
    assert_eq!(library(&answer(Method::Get, 0), 1), Err(Malformed::Handles));
    assert_eq!(library(&answer(Method::Get, 1), 0), Err(Malformed::Marker));
    assert_eq!(supported_features(&answer(Method::GetSupportedFeatures, 7), 1), Err(Malformed::Handles));
}

#[test]
fn a_malformed_answer_is_refused() {
    let good = answer(Method::GetSupportedFeatures, 7);
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        supported_features(&bytes, 0)
    };
    assert_eq!(changed(|_| {}), Ok(Features(7)));
    assert_eq!(changed(|bytes| bytes[3] = 0), Err(Malformed::Transaction));
    assert_eq!(changed(|bytes| bytes[6] = 1), Err(Malformed::Header));
    assert_eq!(changed(|bytes| bytes[7] = 0), Err(Malformed::Header));
    assert_eq!(changed(|bytes| bytes[8] ^= 1), Err(Malformed::Ordinal));
    assert_eq!(changed(|bytes| bytes[23] = 1), Err(Malformed::Padding));
    assert_eq!(changed(|bytes| bytes.truncate(20)), Err(Malformed::Length));
    assert_eq!(changed(|bytes| bytes.truncate(15)), Err(Malformed::Length));
    assert_eq!(changed(|bytes| bytes.clear()), Err(Malformed::Length));
    assert_eq!(changed(|bytes| bytes.extend([0; 8])), Err(Malformed::Length));
}

#[test]
fn an_answer_in_another_version_of_the_wire_format_is_refused() {
    let with_flags = |flags| {
        let mut bytes = answer(Method::Get, u32::MAX);
        bytes[4] = flags;
        library(&bytes, 1)
    };
    assert_eq!(with_flags(0), Err(Malformed::Header), "version 1 lays handles out in another way");
    assert_eq!(with_flags(0xFD), Err(Malformed::Header));
    // A flag with a meaning in the future changes nothing in these answers.
    assert_eq!(with_flags(3), Ok(true));
}

#[test]
fn any_bytes_at_all_are_survived() {
    // A valid answer of each kind, with one byte changed to any value, and cut off at every length.
    for method in [Method::Get, Method::GetSupportedFeatures] {
        let good = answer(method, 7);
        for index in 0..good.len() {
            for value in 0..=255 {
                let mut bytes = good.clone();
                bytes[index] = value;
                for handles in 0..3 {
                    let _ = (library(&bytes, handles), supported_features(&bytes, handles));
                }
            }
            let _ = (library(&good[..index], 0), supported_features(&good[..index], 0));
        }
    }
}

#[test]
fn unknown_flags_are_ignored() {
    assert_eq!(Features(u32::MAX).missing(), 0);
    for features in 0..8 {
        assert_eq!(Features(features).missing(), 7 - features);
    }
    // The same holds for flags in the header, next to the version.
    let mut bytes = answer(Method::GetSupportedFeatures, 7);
    (bytes[4], bytes[5]) = (0xff, 0xff);
    assert_eq!(supported_features(&bytes, 0), Ok(Features(7)));
}
