//! Making, rotating, naming and protecting keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use assay_engine::time::Timestamp;
use assay_ledger::keys::{KeyError, KeyStore};
use ed25519_dalek::{Signature, VerifyingKey};
use tempfile::TempDir;

const SEED: [u8; 32] = *b"an Ed25519 seed of 32 bytes here";

fn november() -> Timestamp {
    Timestamp::parse("2026-11-30T22:00:00Z").unwrap()
}

fn store() -> (TempDir, KeyStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::open(folder.path().join("keys")).unwrap();
    (folder, store)
}

fn versions(store: &KeyStore) -> Vec<String> {
    store.list().unwrap().into_iter().map(|key| key.version).collect()
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn key_file(folder: &TempDir, content: &[u8]) -> PathBuf {
    let path = folder.path().join("configured-key");
    fs::write(&path, content).unwrap();
    #[cfg(unix)]
    set_mode(&path, 0o400);
    path
}

#[test]
fn the_first_use_makes_a_key_and_the_next_ones_find_it() {
    let (_folder, store) = store();
    assert!(store.list().unwrap().is_empty());
    assert_eq!(store.export_json().unwrap(), r#"{"publicKeys":[]}"#);
    let first = store.signer(november()).unwrap();
    assert!(first.created);
    assert_eq!(&*first.signer.key_version(), "v1-2026-11");
    let again = KeyStore::open(store.private_key_path().parent().unwrap()).unwrap();
    let again = again
        .signer(Timestamp::parse("2027-01-01T00:00:00Z").unwrap())
        .unwrap();
    assert!(!again.created);
    assert_eq!(again.signer.public_key(), first.signer.public_key());
    assert_eq!(again.signer.key_version(), first.signer.key_version());

    let [listed] = store.list().unwrap().try_into().unwrap();
    assert_eq!(
        (listed.public_key, listed.created_at),
        (first.signer.public_key(), november())
    );
    let signature = Signature::from_bytes(&first.signer.sign(b"a receipt"));
    VerifyingKey::from_bytes(&listed.public_key)
        .unwrap()
        .verify_strict(b"a receipt", &signature)
        .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(store.private_key_path())
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
    }
}

#[test]
fn keys_of_two_stores_differ() {
    let (_one, one) = store();
    let (_two, two) = store();
    let key = |store: &KeyStore| store.signer(november()).unwrap().signer.public_key();
    assert_ne!(key(&one), key(&two));
}

#[test]
fn a_rotation_lists_both_keys_and_keeps_one_private_half() {
    let (_folder, store) = store();
    let first = store.signer(november()).unwrap().signer;
    let private_before = fs::read_to_string(store.private_key_path()).unwrap();
    let rotation = store
        .rotate(Timestamp::parse("2026-12-01T00:00:00Z").unwrap())
        .unwrap();
    assert_eq!(rotation.previous.as_deref(), Some("v1-2026-11"));
    assert_eq!(&*rotation.signer.key_version(), "v2-2026-12");
    assert_ne!(rotation.signer.public_key(), first.public_key());
    assert_eq!(versions(&store), ["v1-2026-11", "v2-2026-12"]);
    assert_eq!(
        store.signer(november()).unwrap().signer.public_key(),
        rotation.signer.public_key()
    );

    let seed = private_before.split('"').find(|text| text.len() == 44).unwrap();
    for file in fs::read_dir(store.private_key_path().parent().unwrap()).unwrap() {
        let content = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!content.contains(seed), "the old private key is still there");
    }
}

#[test]
fn a_rotation_of_nothing_makes_the_first_key() {
    let (_folder, store) = store();
    let rotation = store.rotate(november()).unwrap();
    assert_eq!(rotation.previous, None);
    assert_eq!(versions(&store), ["v1-2026-11"]);
    assert!(!store.signer(november()).unwrap().created);
}

#[test]
fn the_export_has_the_published_form() {
    let (folder, store) = store();
    let path = key_file(
        &folder,
        br#"{"keyVersion":"v7-2025-01","seed":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#,
    );
    store.signer_from_file(&path, november()).unwrap();
    // The public key of the zero seed, from another implementation (Python's cryptography).
    assert_eq!(
        store.export_json().unwrap(),
        concat!(
            r#"{"publicKeys":[{"keyVersion":"v7-2025-01","algorithm":"Ed25519","#,
            r#""publicKey":"O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=","#,
            r#""publicKeyEncoding":"base64 of the raw 32-byte Ed25519 public key"}]}"#
        )
    );
    // Numbers go on from the greatest that is listed.
    assert_eq!(
        &*store.signer(november()).unwrap().signer.key_version(),
        "v8-2026-11"
    );
}

#[test]
fn every_form_of_a_key_file_gives_the_same_key() {
    let hex: String = SEED.iter().map(|byte| format!("{byte:02x}")).collect();
    // From another implementation (coreutils' base64).
    let base64 = "YW4gRWQyNTUxOSBzZWVkIG9mIDMyIGJ5dGVzIGhlcmU=";
    let forms: [Vec<u8>; 6] = [
        SEED.to_vec(),
        hex.clone().into_bytes(),
        format!("{}\n", hex.to_uppercase()).into_bytes(),
        format!("{base64}\n").into_bytes(),
        format!("{{\"seed\": \"{hex}\"}}").into_bytes(),
        format!("{{\"seed\": \"{base64}\", \"keyVersion\": null, \"algorithm\": \"Ed25519\"}}\n")
            .into_bytes(),
    ];
    let mut found = Vec::new();
    for form in forms {
        let (folder, store) = store();
        let signer = store
            .signer_from_file(&key_file(&folder, &form), november())
            .unwrap();
        assert_eq!(&*signer.key_version(), "v1-2026-11");
        assert_eq!(store.list().unwrap()[0].public_key, signer.public_key());
        found.push(signer.public_key());
    }
    assert!(found.iter().all(|key| *key == found[0]), "{found:?}");
}

#[test]
fn a_key_file_goes_by_its_listed_version() {
    let (folder, store) = store();
    store.signer(november()).unwrap();
    let path = key_file(&folder, &SEED);
    let first = store.signer_from_file(&path, november()).unwrap();
    let later = store
        .signer_from_file(&path, Timestamp::parse("2027-05-01T00:00:00Z").unwrap())
        .unwrap();
    assert_eq!(&*first.key_version(), "v2-2026-11");
    assert_eq!(later.key_version(), first.key_version());
    assert_eq!(versions(&store), ["v1-2026-11", "v2-2026-11"]);
}

#[test]
fn a_version_names_one_key() {
    let (folder, store) = store();
    store.signer(november()).unwrap();
    let taken = format!(r#"{{"keyVersion":"v1-2026-11","seed":"{}"}}"#, "0".repeat(64));
    let error = store
        .signer_from_file(&key_file(&folder, taken.as_bytes()), november())
        .err()
        .unwrap();
    assert!(
        matches!(&error, KeyError::VersionTaken { version } if version == "v1-2026-11"),
        "{error:?}"
    );
    assert_eq!(versions(&store), ["v1-2026-11"]);
}

#[test]
fn files_that_hold_no_key_are_refused_without_being_quoted() {
    let good = "0".repeat(64);
    let long = "v".repeat(65);
    let contents = [
        String::new(),
        "0123".to_owned(),
        "g".repeat(64),
        "A".repeat(40),
        format!("{good}{good}"),
        "{}".to_owned(),
        "{\"seed\":1}".to_owned(),
        format!("{{\"seed\":\"{good}\""),
        format!("{{\"seed\":\"{good}\",\"algorithm\":\"RSA\"}}"),
        format!("{{\"seed\":\"{good}\",\"keyVersion\":\"\"}}"),
        format!("{{\"seed\":\"{good}\",\"keyVersion\":\"a b\"}}"),
        format!("{{\"seed\":\"{good}\",\"keyVersion\":\"{long}\"}}"),
        format!("{{\"seed\":\"{good}\",\"keyVersion\":7}}"),
        format!("{{\"seed\":\"{good}\",\"createdAt\":\"soon\"}}"),
    ];
    for content in contents {
        let (folder, store) = store();
        let error = store
            .signer_from_file(&key_file(&folder, content.as_bytes()), november())
            .err()
            .unwrap();
        assert!(matches!(error, KeyError::Content { .. }), "{content}: {error:?}");
        assert!(content.is_empty() || !error.to_string().contains(&content));
        assert!(store.list().unwrap().is_empty());
    }
}

#[test]
fn a_missing_key_file_is_told() {
    let (folder, store) = store();
    let error = store
        .signer_from_file(&folder.path().join("none"), november())
        .err()
        .unwrap();
    assert!(matches!(error, KeyError::File { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn a_private_key_that_others_may_read_is_refused() {
    let (folder, store) = store();
    store.signer(november()).unwrap();
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        set_mode(&store.private_key_path(), mode);
        for error in [
            store.signer(november()).err().unwrap(),
            store.rotate(november()).err().unwrap(),
        ] {
            assert!(
                matches!(error, KeyError::OpenToOthers { mode: found, .. } if found == mode),
                "{error:?}"
            );
            assert!(error.to_string().contains("chmod 600"), "{error}");
        }
    }
    set_mode(&store.private_key_path(), 0o600);
    assert!(!store.signer(november()).unwrap().created);

    // A file of the configuration may be the group's too, as mounted secrets are.
    let path = key_file(&folder, &SEED);
    for (mode, is_refused) in [
        (0o440, false),
        (0o640, false),
        (0o444, true),
        (0o660, true),
        (0o604, true),
    ] {
        set_mode(&path, mode);
        assert_eq!(
            store.signer_from_file(&path, november()).is_err(),
            is_refused,
            "{mode:o}"
        );
    }
}

#[test]
fn a_crash_between_the_two_files_is_made_good() {
    let (_folder, store) = store();
    let list_path = store.private_key_path().with_file_name("public-keys.json");
    let first = store.signer(november()).unwrap().signer;
    let before_rotation = fs::read(&list_path).unwrap();
    let second = store.rotate(november()).unwrap().signer;

    // As if the rotation had died after the private file.
    fs::write(&list_path, &before_rotation).unwrap();
    assert_eq!(
        store.signer(november()).unwrap().signer.public_key(),
        second.public_key()
    );
    assert_eq!(versions(&store), ["v1-2026-11", "v2-2026-11"]);

    fs::write(&list_path, &before_rotation).unwrap();
    let third = store.rotate(november()).unwrap().signer;
    let keys: Vec<[u8; 32]> = store
        .list()
        .unwrap()
        .into_iter()
        .map(|key| key.public_key)
        .collect();
    assert_eq!(
        keys,
        [first.public_key(), second.public_key(), third.public_key()]
    );

    // And in the middle of writing a file.
    fs::write(
        store
            .private_key_path()
            .with_file_name("signing-key.json.unfinished"),
        "{\"ke",
    )
    .unwrap();
    fs::write(
        store
            .private_key_path()
            .with_file_name("public-keys.json.unfinished"),
        "",
    )
    .unwrap();
    assert_eq!(
        store.signer(november()).unwrap().signer.public_key(),
        third.public_key()
    );
    store.rotate(november()).unwrap();
    assert_eq!(
        versions(&store),
        ["v1-2026-11", "v2-2026-11", "v3-2026-11", "v4-2026-11"]
    );
}

#[test]
fn files_of_the_store_that_cannot_be_read_are_told() {
    for (name, content) in [
        ("signing-key.json", "{\"seed\":\"0000\"}"),
        (
            "signing-key.json",
            &format!("{{\"seed\":\"{}\"}}", "0".repeat(64)),
        ),
        ("public-keys.json", ""),
        ("public-keys.json", "{}"),
        (
            "public-keys.json",
            r#"{"publicKeys":[{"keyVersion":"v1","algorithm":"Ed25519","publicKey":"AAAA"}]}"#,
        ),
    ] {
        let (_folder, store) = store();
        store.signer(november()).unwrap();
        let path = store.private_key_path().with_file_name(name);
        fs::write(&path, content).unwrap();
        let error = store.signer(november()).err().unwrap();
        assert!(
            matches!(&error, KeyError::Content { path: found, .. } if *found == path),
            "{error:?}"
        );
        assert!(error.to_string().contains("restore it from a backup"), "{error}");
    }
}

#[test]
fn several_that_begin_at_once_share_one_key() {
    let (_folder, store) = store();
    let keys: Vec<([u8; 32], bool)> = thread::scope(|scope| {
        let start = |_| {
            let store = store.clone();
            scope.spawn(move || {
                let active = store.signer(november()).unwrap();
                (active.signer.public_key(), active.created)
            })
        };
        let started: Vec<_> = (0..16).map(start).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|(key, _)| *key == keys[0].0), "{keys:?}");
    assert_eq!(keys.iter().filter(|(_, created)| *created).count(), 1);
    assert_eq!(versions(&store), ["v1-2026-11"]);
}

#[test]
fn several_that_rotate_at_once_lose_no_key() {
    let (_folder, store) = store();
    thread::scope(|scope| {
        for _ in 0..8 {
            let store = store.clone();
            scope.spawn(move || store.rotate(november()).unwrap());
        }
    });
    let expected: Vec<String> = (1..=8).map(|number| format!("v{number}-2026-11")).collect();
    assert_eq!(versions(&store), expected);
}
