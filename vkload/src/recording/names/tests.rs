use super::*;
use serde_json::json;

#[test]
fn names_are_taken_out_wherever_they_stand() {
    let names = Names::new(b"/home/ann", b"ann");
    let mut value = json!({
        "value": "/home/ann/.local/share:/usr/share",
        "group": "ann",
        "/media/ann/disk": ["/home/annette/x", "the plan of /home/ann, and no more", "ann's", "/opt/ann.so", "planned"],
    });
    names.take_out(&mut value);
    assert_eq!(
        value,
        json!({
            "value": "/home/user/.local/share:/usr/share",
            "group": "user",
            "/media/user/disk": ["/home/user2/x", "the plan of /home/user, and no more", "user's", "/opt/user.so", "planned"],
        })
    );
}

#[test]
fn a_name_that_only_the_home_folder_contains_is_removed() {
    let mut value = json!(["/home/ann/x", "/run/media/ann", "/media/root", "ann"]);
    Names::new(b"/home/ann", b"root").take_out(&mut value);
    assert_eq!(value, json!(["/home/user/x", "/run/media/user", "/media/root", "user"]));
}

#[test]
fn the_administrator_is_nobody() {
    let mut value = json!("/root/.config and root");
    Names::new(b"/root", b"root").take_out(&mut value);
    assert_eq!(value, "/root/.config and root");
}

#[test]
fn a_name_is_removed_however_it_is_written() {
    let names = Names::new(b"/srv/people//ann", b"ann");
    let mut value = json!([
        "/srv/people/ann/x",
        "/srv//people/./ann:/srv/people/ann",
        "/home//bob/x",
        "/home/./bob",
        "~ann",
        "/mnt/ann-disk",
        "/srv/home_ann",
        "/export/home/ann.old",
        "{\"path\":\"/home/carl/x\"}",
        "carl",
        lossless::text(b"/home/ann/\xff"),
    ]);
    names.take_out(&mut value);
    let text = value.to_string();
    assert!(!["ann", "bob", "carl", "616e6e"].iter().any(|name| text.contains(name)), "{text}");
    assert_eq!(value[0], "/home/user/x");
    assert_eq!(value[10], json!(lossless::text(b"/home/user/\xff")));
}
