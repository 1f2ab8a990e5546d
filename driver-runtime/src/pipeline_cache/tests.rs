//! Pipeline caches as a driver and an application use them.

use std::ptr::{null, null_mut};
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

use ash::vk;
use vkload_core::memory::OutOfMemory;

use super::data::HEADER;
use super::{Cache, PipelineCaches, Written, entry_points};
use crate::device::Device;
use crate::device::tests::{MadeDevice, make};
use crate::dispatch::{DispatchTable, function};
use crate::object::Object;
use crate::testing::{Fail, Ledger, TestDriver, failing, with_memory};

/// The compiled object: text. A text's kind is its first letter; a text with an `x` cannot be read.
type Shader = Arc<str>;

std::thread_local! {
    static READS: core::cell::Cell<u32> = const { core::cell::Cell::new(0) };
}

impl PipelineCaches for TestDriver {
    type Cached = Shader;
    const IMPORTED: &'static [u32] = &[b'a' as u32];

    fn kind(object: &Shader) -> u32 {
        object.as_bytes()[0].into()
    }
    fn write(object: &Shader, out: &mut Written<'_>) -> Result<(), OutOfMemory> {
        out.append(object.as_bytes())
    }
    fn read(_: &Device<Self>, kind: u32, bytes: &[u8]) -> Option<Shader> {
        READS.set(READS.get() + 1);
        let text = core::str::from_utf8(bytes).ok()?;
        let is_one = text.bytes().next().map(u32::from) == Some(kind) && !text.contains('x');
        is_one.then(|| with_memory(|| text.into()))
    }
}

macro_rules! functions {
    ($($name:ident: $command:ident $pointer_type:ident;)*) => {$(
        fn $name() -> vk::$pointer_type {
            static TABLE: DispatchTable = DispatchTable::new(&entry_points::<TestDriver>());
            // SAFETY: the macro checks that command and type belong together.
            unsafe { function!(TABLE, $command: $pointer_type) }.unwrap()
        }
    )*};
}

functions! {
    create: CREATE_PIPELINE_CACHE PFN_vkCreatePipelineCache;
    destroy: DESTROY_PIPELINE_CACHE PFN_vkDestroyPipelineCache;
    get_data: GET_PIPELINE_CACHE_DATA PFN_vkGetPipelineCacheData;
    merge: MERGE_PIPELINE_CACHES PFN_vkMergePipelineCaches;
}

fn device() -> MadeDevice {
    make(&vk::DeviceCreateInfo::default()).unwrap()
}

fn cache(made: &MadeDevice, data: &[u8]) -> vk::PipelineCache {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    let mut cache = vk::PipelineCache::null();
    // SAFETY: a live handle and valid structures.
    assert_eq!(unsafe { create()(made.0, &info, null(), &mut cache) }, vk::Result::SUCCESS);
    cache
}

fn get<'a>(cache: vk::PipelineCache) -> &'a Cache<TestDriver> {
    // SAFETY: the tests use live handles.
    unsafe { Object::<Cache<TestDriver>>::from_handle(cache) }.unwrap()
}

fn find(made: &MadeDevice, cache: vk::PipelineCache, key: &str) -> Option<String> {
    get(cache).find(made.get(), key.as_bytes()).map(|shader| (*shader).into())
}

fn add(cache: vk::PipelineCache, key: &str, text: &str) -> String {
    (*get(cache).add(key.as_bytes(), text.into())).into()
}

fn data(made: &MadeDevice, cache: vk::PipelineCache) -> Vec<u8> {
    let mut size = 0;
    // SAFETY: live handles, and a buffer of the given size.
    unsafe {
        assert_eq!(get_data()(made.0, cache, &mut size, null_mut()), vk::Result::SUCCESS);
        let mut bytes = std::vec![0u8; size];
        let result = get_data()(made.0, cache, &mut size, bytes.as_mut_ptr().cast());
        assert_eq!((result, size), (vk::Result::SUCCESS, bytes.len()));
        bytes
    }
}

fn drop_cache(made: &MadeDevice, cache: vk::PipelineCache) {
    // SAFETY: the handle is no longer in use.
    unsafe { destroy()(made.0, cache, null()) };
}

#[test]
fn the_first_entry_is_found() {
    let made = device();
    let cache = cache(&made, &[]);
    assert_eq!(find(&made, cache, "k"), None);
    assert_eq!(add(cache, "k", "apple"), "apple");
    assert_eq!(add(cache, "k", "avocado"), "apple");
    assert_eq!((find(&made, cache, "k").as_deref(), get(cache).len()), (Some("apple"), 1));
    assert_eq!(find(&made, cache, "kk"), None);
    drop_cache(&made, cache);
}

#[test]
fn data_leads_to_the_same_objects_in_another_cache() {
    let made = device();
    let first = cache(&made, &[]);
    for (key, text) in [("1", "apple"), ("2", "banana"), ("3", "box"), ("", "a")] {
        add(first, key, text);
    }
    let bytes = data(&made, first);
    assert_eq!(bytes[..8], [32, 0, 0, 0, 1, 0, 0, 0]);
    READS.set(0);
    let second = cache(&made, &bytes);
    assert_eq!((READS.get(), get(second).len()), (2, 4), "kinds that are imported are read at once");
    assert_eq!(find(&made, second, "2").as_deref(), Some("banana"));
    assert_eq!(find(&made, second, "2").as_deref(), Some("banana"));
    assert_eq!(READS.get(), 3, "others when they are looked for, once");
    assert_eq!(find(&made, second, "1").as_deref(), Some("apple"));
    assert_eq!(find(&made, second, "3"), None, "and bytes that are no object are none");
    assert_eq!(data(&made, second), bytes);
    drop_cache(&made, first);
    drop_cache(&made, second);
}

#[test]
fn data_of_others_and_damaged_data_is_harmless() {
    let made = device();
    let first = cache(&made, &[]);
    add(first, "1", "apple");
    add(first, "2", "berry");
    let bytes = data(&made, first);
    for at in 0..HEADER {
        let mut other = bytes.clone();
        other[at] ^= 1;
        let cache = cache(&made, &other);
        assert!(get(cache).is_empty(), "byte {at}");
        drop_cache(&made, cache);
    }
    for length in 0..bytes.len() {
        let cache = cache(&made, &bytes[..length]);
        assert!(get(cache).len() < 2);
        drop_cache(&made, cache);
    }
    let mut huge = bytes[..HEADER].to_vec();
    huge.extend_from_slice(&[0xff; 40]);
    let cache = cache(&made, &huge);
    assert!(get(cache).is_empty());
    drop_cache(&made, cache);
    drop_cache(&made, first);
}

#[test]
fn too_little_room_is_filled_with_whole_entries() {
    let made = device();
    let cache = cache(&made, &[]);
    add(cache, "1", "apple");
    add(cache, "2", "berry");
    let whole = data(&made, cache);
    let half = (whole.len() - HEADER) / 2 + HEADER;
    for (room, wanted) in [(0, 0), (HEADER - 1, 0), (half - 1, HEADER), (half, half), (whole.len() - 1, half)]
    {
        let (mut size, mut bytes) = (room, std::vec![0u8; room]);
        // SAFETY: live handles, and a buffer of the given size.
        let result = unsafe { get_data()(made.0, cache, &mut size, bytes.as_mut_ptr().cast()) };
        assert_eq!((result, size), (vk::Result::INCOMPLETE, wanted), "{room}");
        assert_eq!(bytes[..size], whole[..size]);
    }
    drop_cache(&made, cache);
}

#[test]
fn merged_caches_have_what_any_has() {
    let made = device();
    let (target, source) = (cache(&made, &[]), cache(&made, &[]));
    add(target, "1", "apple");
    add(source, "1", "avocado");
    add(source, "2", "berry");
    let sources = [source, vk::PipelineCache::null(), cache(&made, &data(&made, source))];
    // SAFETY: live handles in an array.
    let result = unsafe { merge()(made.0, target, 3, sources.as_ptr()) };
    assert_eq!(result, vk::Result::SUCCESS);
    drop_cache(&made, source);
    drop_cache(&made, sources[2]);
    assert_eq!(find(&made, target, "1").as_deref(), Some("apple"));
    assert_eq!(find(&made, target, "2").as_deref(), Some("berry"));
    assert_eq!(get(target).len(), 2);
    drop_cache(&made, target);
}

#[test]
fn many_threads_share_a_cache() {
    let made = device();
    let cache = cache(&made, &[]);
    let (shared, device) = (get(cache), made.get());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for number in 0..50u8 {
                    let found = shared.add(&[number], std::format!("b{number}").into());
                    assert_eq!(shared.find(device, &[number]).unwrap(), found);
                }
            });
        }
    });
    assert_eq!(shared.len(), 50);
    drop_cache(&made, cache);
}

#[test]
fn pipeline_caches_without_memory() {
    let made = device();
    let full = cache(&made, &[]);
    for number in 0..12 {
        add(full, &std::format!("{number}"), if number % 2 == 0 { "apple" } else { "banana" });
    }
    let bytes = data(&made, full);
    let info = vk::PipelineCacheCreateInfo::default().initial_data(&bytes);
    for number in 0.. {
        let (result, reached, left) = failing(Fail::Only(number), || {
            let mut cache = vk::PipelineCache::null();
            // SAFETY: live handles and valid structures; created objects are destroyed.
            unsafe {
                let mut result = create()(made.0, &info, null(), &mut cache);
                if result == vk::Result::SUCCESS {
                    result = merge()(made.0, cache, 1, &full);
                }
                if result == vk::Result::SUCCESS {
                    result = get_data()(made.0, cache, &mut 0, null_mut());
                }
                destroy()(made.0, cache, null());
                result
            }
        });
        assert_eq!(left, 0, "allocation {number}");
        if !reached {
            assert_eq!(result, vk::Result::SUCCESS);
            break;
        }
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "allocation {number}");
    }
    drop_cache(&made, full);
}

#[test]
fn the_memory_of_a_cache_is_of_its_scope() {
    let made = device();
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let mut cache = vk::PipelineCache::null();
    // SAFETY: live handles and valid structures; the callbacks live longer than the cache.
    unsafe {
        let info = vk::PipelineCacheCreateInfo::default();
        assert_eq!(create()(made.0, &info, &callbacks, &mut cache), vk::Result::SUCCESS);
        add(cache, "1", "apple");
        destroy()(made.0, cache, &callbacks);
    }
    let (object, cache) = (vk::SystemAllocationScope::OBJECT, vk::SystemAllocationScope::CACHE);
    let scopes = ledger.scopes();
    assert_eq!(scopes[0], object.as_raw());
    assert!(scopes.len() > 1 && scopes[1..].iter().all(|scope| *scope == cache.as_raw()));
    assert_eq!(ledger.live_blocks(), 0);
}
