//! What std, and the libraries that mirror it, do to types: the language's own library, so it stands here as text and
//! not in the models. `Head<T>: method(params) -> result; ..`. A head without `::` holds for every type of that name.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::super::names::types::{Sig, last_of};
use super::super::program::Ty;
use super::text::Parser;
use crate::name::{Name, split_last};

#[derive(Debug)]
pub struct StdTable {
    methods: FxHashMap<(Name, Name), Sig>,
    functions: FxHashMap<Name, Sig>,
}

pub fn table() -> &'static StdTable {
    static TABLE: OnceLock<StdTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = StdTable { methods: FxHashMap::default(), functions: FxHashMap::default() };
        METHODS.lines().for_each(|l| table.add_type(l));
        for line in FUNCTIONS.lines() {
            let mut parser = Parser::new(line, None);
            let path = parser.path();
            if let Some(sig) = rest_of(&mut parser, None) {
                table.functions.insert(Name::from(path), sig);
            }
        }
        table
    })
}

fn rest_of(parser: &mut Parser<'_>, self_ty: Option<Ty>) -> Option<Sig> {
    if !parser.eat("(") {
        return None;
    }
    let params = parser.list(")");
    let result = parser.result();
    let receiver = self_ty.is_some();
    Some(Sig { self_ty, receiver, generics: Vec::new(), bounds: Vec::new(), params, result })
}

impl StdTable {
    fn add_type(&mut self, line: &str) {
        let Some((head, methods)) = line.split_once(": ") else {
            return;
        };
        for head in head.split('|') {
            let mut parser = Parser::new(head, None);
            let path = Name::from(parser.path());
            let args = if parser.eat("<") { parser.list(">") } else { Vec::new() };
            for method in methods.split(';') {
                let mut parser = Parser::new(method, None);
                let name = Name::from(parser.path());
                if let Some(sig) = rest_of(&mut parser, Some(Ty::Foreign(path.clone(), args.clone()))) {
                    self.methods.insert((path.clone(), name), sig);
                }
            }
        }
    }

    /// A method of a foreign type.
    pub fn method(&self, path: &str, name: &str) -> Option<&Sig> {
        let name = Name::new(name);
        if let Some(found) = self.methods.get(&(Name::new(path), name.clone())) {
            return Some(found);
        }
        if !mirrors_std(path) {
            return None;
        }
        self.methods.get(&(Name::new(last_of(path)), name))
    }

    pub fn function(&self, path: &str) -> Option<&Sig> {
        if let Some(found) = self.functions.get(path) {
            return Some(found);
        }
        let (before, _) = split_last(path)?;
        let from = before.rfind("::").map_or(0, |at| at + 2);
        if !mirrors_std(path) {
            return None;
        }
        self.functions.get(&path[from..])
    }
}

/// Libraries whose types of the same name have the same methods.
fn mirrors_std(path: &str) -> bool {
    const ROOTS: [&str; 14] = [
        "std",
        "tokio",
        "tokio_util",
        "tokio_stream",
        "futures",
        "futures_util",
        "futures_core",
        "async_std",
        "parking_lot",
        "hashbrown",
        "indexmap",
        "dashmap",
        "flume",
        "smallvec",
    ];
    match path.split_once("::") {
        None => true,
        Some((root, rest)) => ROOTS.contains(&root) || root.len() < 8 && !rest.contains("::"),
    }
}

/// Methods that give their receiver, whatever it is.
pub fn gives_receiver(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "to_owned"
            | "as_ref"
            | "as_mut"
            | "borrow"
            | "borrow_mut"
            | "by_ref"
            | "boxed"
            | "boxed_local"
            | "instrument"
            | "in_current_span"
            | "fuse"
            | "as_deref"
            | "as_deref_mut"
            | "deref"
            | "deref_mut"
            | "in_scope"
            | "shared"
            | "into_inner"
            | "into_future"
            | "as_slice"
            | "as_mut_slice"
            | "clone_from"
            | "cloned"
            | "copied"
            | "into_boxed_slice"
            | "as_pin_mut"
            | "get_mut"
            | "compat"
            | "leak"
    )
}

/// Methods of std traits that derives and blanket impls give to any type; nothing remote hides there.
pub fn universal(name: &str) -> Option<&'static str> {
    Some(match name {
        "clone" | "clone_from" => "std::clone::Clone",
        "to_owned" | "borrow" | "borrow_mut" => "std::borrow::ToOwned",
        "to_string" => "std::string::ToString",
        "into" => "std::convert::Into",
        "try_into" => "std::convert::TryInto",
        "as_ref" => "std::convert::AsRef",
        "as_mut" => "std::convert::AsMut",
        "eq" | "ne" => "std::cmp::PartialEq",
        "cmp" | "max" | "min" | "clamp" => "std::cmp::Ord",
        "partial_cmp" | "lt" | "le" | "gt" | "ge" => "std::cmp::PartialOrd",
        "hash" => "std::hash::Hash",
        "fmt" => "std::fmt::Debug",
        "default" => "std::default::Default",
        "type_id" => "std::any::Any",
        "source" | "description" => "std::error::Error",
        _ => return None,
    })
}

const METHODS: &str = "\
Option<T>: map(fn(T) -> U) -> Option<U>; and_then(fn(T) -> Option<U>) -> Option<U>; unwrap() -> T; expect(str) -> T
Option<T>: unwrap_or(T) -> T; unwrap_or_else(fn() -> T) -> T; unwrap_or_default() -> T; unwrap_unchecked() -> T
Option<T>: ok_or(E) -> Result<T, E>; ok_or_else(fn() -> E) -> Result<T, E>; map_or(U, fn(T) -> U) -> U
Option<T>: map_or_else(fn() -> U, fn(T) -> U) -> U; or(Option<T>) -> Option<T>; or_else(fn() -> Option<T>) -> Option<T>
Option<T>: filter(fn(T) -> bool) -> Option<T>; take() -> Option<T>; take_if(fn(T) -> bool) -> Option<T>; replace(T) -> Option<T>
Option<T>: is_some() -> bool; is_none() -> bool; is_some_and(fn(T) -> bool) -> bool; is_none_or(fn(T) -> bool) -> bool
Option<T>: insert(T) -> T; get_or_insert(T) -> T; get_or_insert_with(fn() -> T) -> T; iter() -> Iterator<T>; into_iter() -> Iterator<T>
Option<T>: zip(Option<U>) -> Option<(T, U)>; inspect(fn(T)) -> Option<T>; and(Option<U>) -> Option<U>; xor(Option<T>) -> Option<T>
Option<T>: cloned() -> Option<T>; copied() -> Option<T>; as_ref() -> Option<T>; as_mut() -> Option<T>; as_deref() -> Option<T>; as_deref_mut() -> Option<T>
Option<T>: context(C) -> Result<T, anyhow::Error>; with_context(fn() -> C) -> Result<T, anyhow::Error>
Option<T>: transpose() -> X; flatten() -> T; unzip() -> X; iter_mut() -> Iterator<T>
Result<T, E>: map(fn(T) -> U) -> Result<U, E>; map_err(fn(E) -> F) -> Result<T, F>; and_then(fn(T) -> Result<U, E>) -> Result<U, E>
Result<T, E>: unwrap() -> T; expect(str) -> T; unwrap_or(T) -> T; unwrap_or_else(fn(E) -> T) -> T; unwrap_or_default() -> T
Result<T, E>: ok() -> Option<T>; err() -> Option<E>; is_ok() -> bool; is_err() -> bool; is_ok_and(fn(T) -> bool) -> bool; is_err_and(fn(E) -> bool) -> bool
Result<T, E>: unwrap_err() -> E; expect_err(str) -> E; or_else(fn(E) -> Result<T, F>) -> Result<T, F>; or(Result<T, F>) -> Result<T, F>
Result<T, E>: map_or(U, fn(T) -> U) -> U; map_or_else(fn(E) -> U, fn(T) -> U) -> U; inspect(fn(T)) -> Result<T, E>; inspect_err(fn(E)) -> Result<T, E>
Result<T, E>: and(Result<U, E>) -> Result<U, E>; iter() -> Iterator<T>; into_iter() -> Iterator<T>; as_ref() -> Result<T, E>; as_mut() -> Result<T, E>
Result<T, E>: context(C) -> Result<T, anyhow::Error>; with_context(fn() -> C) -> Result<T, anyhow::Error>; wrap_err(C) -> Result<T, eyre::Report>; wrap_err_with(fn() -> C) -> Result<T, eyre::Report>
Result<T, E>: cloned() -> Result<T, E>; copied() -> Result<T, E>; as_deref() -> Result<T, E>; flatten() -> T; transpose() -> X
Result<T, E>: map_ok(fn(T) -> U) -> Result<U, E>; unwrap_or_log() -> T
Vec<T>|VecDeque<T>|SmallVec<T>|LinkedList<T>|BinaryHeap<T>: iter() -> Iterator<T>; iter_mut() -> Iterator<T>; into_iter() -> Iterator<T>; drain(R) -> Iterator<T>; len() -> usize; is_empty() -> bool
Vec<T>|VecDeque<T>|SmallVec<T>|LinkedList<T>|BinaryHeap<T>: first() -> Option<T>; last() -> Option<T>; get(I) -> Option<T>; get_mut(I) -> Option<T>; first_mut() -> Option<T>; last_mut() -> Option<T>; pop() -> Option<T>
Vec<T>|VecDeque<T>|SmallVec<T>|LinkedList<T>|BinaryHeap<T>: pop_front() -> Option<T>; pop_back() -> Option<T>; front() -> Option<T>; back() -> Option<T>; front_mut() -> Option<T>; back_mut() -> Option<T>; peek() -> Option<T>
Vec<T>|VecDeque<T>|SmallVec<T>: remove(usize) -> T; swap_remove(usize) -> T; push(T); push_back(T); push_front(T); insert(usize, T); extend(Iterator<T>); extend_from_slice(Vec<T>); append(Vec<T>); clear(); truncate(usize)
Vec<T>|VecDeque<T>|SmallVec<T>: retain(fn(T) -> bool); retain_mut(fn(T) -> bool); sort(); sort_by(fn(T, T) -> O); sort_by_key(fn(T) -> K); sort_unstable(); sort_unstable_by(fn(T, T) -> O); sort_unstable_by_key(fn(T) -> K)
Vec<T>: dedup(); dedup_by_key(fn(T) -> K); reverse(); contains(T) -> bool; chunks(usize) -> Iterator<Vec<T>>; chunks_exact(usize) -> Iterator<Vec<T>>; windows(usize) -> Iterator<Vec<T>>; split_at(usize) -> (Vec<T>, Vec<T>)
Vec<T>: to_vec() -> Vec<T>; concat() -> T; join(S) -> String; iter_chunks(usize) -> Iterator<Vec<T>>; binary_search(T) -> Result<usize, usize>; binary_search_by(fn(T) -> O) -> Result<usize, usize>; binary_search_by_key(K, fn(T) -> K) -> Result<usize, usize>
Vec<T>: split_off(usize) -> Vec<T>; split_first() -> Option<(T, Vec<T>)>; split_last() -> Option<(T, Vec<T>)>; swap(usize, usize); starts_with(Vec<T>) -> bool; ends_with(Vec<T>) -> bool; partition_point(fn(T) -> bool) -> usize; par_iter() -> Iterator<T>; into_par_iter() -> Iterator<T>; resize(usize, T); copy_from_slice(Vec<T>); fill(T); map(fn(T) -> U) -> Vec<U>; split(fn(T) -> bool) -> Iterator<Vec<T>>; is_sorted() -> bool; as_ptr() -> P; capacity() -> usize; reserve(usize)
HashMap<K, V>|BTreeMap<K, V>|IndexMap<K, V>|DashMap<K, V>: get(K) -> Option<V>; get_mut(K) -> Option<V>; insert(K, V) -> Option<V>; remove(K) -> Option<V>; contains_key(K) -> bool; keys() -> Iterator<K>; values() -> Iterator<V>; values_mut() -> Iterator<V>
HashMap<K, V>|BTreeMap<K, V>|IndexMap<K, V>|DashMap<K, V>: into_values() -> Iterator<V>; into_keys() -> Iterator<K>; iter() -> Iterator<(K, V)>; iter_mut() -> Iterator<(K, V)>; into_iter() -> Iterator<(K, V)>; drain() -> Iterator<(K, V)>; entry(K) -> Entry<K, V>
HashMap<K, V>|BTreeMap<K, V>|IndexMap<K, V>|DashMap<K, V>: len() -> usize; is_empty() -> bool; clear(); retain(fn(K, V) -> bool); extend(Iterator<(K, V)>); remove_entry(K) -> Option<(K, V)>; get_key_value(K) -> Option<(K, V)>; get_or_insert_with(K, fn() -> V) -> V; reserve(usize); shrink_to_fit()
BTreeMap<K, V>: first_key_value() -> Option<(K, V)>; last_key_value() -> Option<(K, V)>; pop_first() -> Option<(K, V)>; pop_last() -> Option<(K, V)>; range(R) -> Iterator<(K, V)>
Entry<K, V>: or_insert(V) -> V; or_insert_with(fn() -> V) -> V; or_default() -> V; and_modify(fn(V)) -> Entry<K, V>; key() -> K; or_insert_with_key(fn(K) -> V) -> V
HashSet<T>|BTreeSet<T>|IndexSet<T>: insert(T) -> bool; contains(T) -> bool; remove(T) -> bool; iter() -> Iterator<T>; into_iter() -> Iterator<T>; drain() -> Iterator<T>; len() -> usize; is_empty() -> bool; get(T) -> Option<T>; take(T) -> Option<T>; retain(fn(T) -> bool); extend(Iterator<T>)
HashSet<T>|BTreeSet<T>|IndexSet<T>: union(S) -> Iterator<T>; difference(S) -> Iterator<T>; intersection(S) -> Iterator<T>; first() -> Option<T>; last() -> Option<T>; pop_first() -> Option<T>; clear(); is_subset(S) -> bool
Iterator<T>: next() -> Option<T>; map(fn(T) -> U) -> Iterator<U>; filter(fn(T) -> bool) -> Iterator<T>; filter_map(fn(T) -> Option<U>) -> Iterator<U>; flat_map(fn(T) -> Iterator<U>) -> Iterator<U>; for_each(fn(T)); enumerate() -> Iterator<(usize, T)>; zip(Iterator<U>) -> Iterator<(T, U)>
Iterator<T>: chain(Iterator<T>) -> Iterator<T>; take(usize) -> Iterator<T>; skip(usize) -> Iterator<T>; take_while(fn(T) -> bool) -> Iterator<T>; skip_while(fn(T) -> bool) -> Iterator<T>; map_while(fn(T) -> Option<U>) -> Iterator<U>; step_by(usize) -> Iterator<T>; rev() -> Iterator<T>; peekable() -> Iterator<T>; peek() -> Option<T>
Iterator<T>: find(fn(T) -> bool) -> Option<T>; find_map(fn(T) -> Option<U>) -> Option<U>; position(fn(T) -> bool) -> Option<usize>; any(fn(T) -> bool) -> bool; all(fn(T) -> bool) -> bool; count() -> usize; last() -> Option<T>; nth(usize) -> Option<T>; min() -> Option<T>; max() -> Option<T>
Iterator<T>: min_by_key(fn(T) -> K) -> Option<T>; max_by_key(fn(T) -> K) -> Option<T>; min_by(fn(T, T) -> O) -> Option<T>; max_by(fn(T, T) -> O) -> Option<T>; fold(A, fn(A, T) -> A) -> A; try_fold(A, fn(A, T) -> R) -> R; try_for_each(fn(T) -> R) -> R; reduce(fn(T, T) -> T) -> Option<T>
Iterator<T>: inspect(fn(T)) -> Iterator<T>; cycle() -> Iterator<T>; partition(fn(T) -> bool) -> (Vec<T>, Vec<T>); cloned() -> Iterator<T>; copied() -> Iterator<T>; iter() -> Iterator<T>; into_iter() -> Iterator<T>; next_back() -> Option<T>; sum() -> T; product() -> T; size_hint() -> (usize, Option<usize>); len() -> usize; scan(A, fn(A, T) -> Option<U>) -> Iterator<U>; next_if(fn(T) -> bool) -> Option<T>; flatten() -> X; unzip() -> X; is_empty() -> bool; as_str() -> str
Iterator<T>: then(fn(T) -> U) -> Iterator<U>; buffer_unordered(usize) -> Iterator<T>; buffered(usize) -> Iterator<T>; for_each_concurrent(U, fn(T)); chunks(usize) -> Iterator<Vec<T>>; ready_chunks(usize) -> Iterator<Vec<T>>; try_next() -> X; poll_next_unpin(C) -> Option<T>; select_next_some() -> T; throttle(D) -> Iterator<T>; dedup() -> Iterator<T>; sorted() -> Iterator<T>; sorted_by_key(fn(T) -> K) -> Iterator<T>; collect_vec() -> Vec<T>; unique() -> Iterator<T>; join(S) -> String; tuple_windows() -> Iterator<X>
FuturesUnordered<T>|FuturesOrdered<T>: push(T); push_back(T); next() -> Option<T>; len() -> usize; is_empty() -> bool
JoinSet<T>: spawn(T) -> AbortHandle; join_next() -> Option<Result<T, JoinError>>; len() -> usize; is_empty() -> bool; abort_all(); shutdown(); spawn_blocking(fn() -> T) -> AbortHandle; try_join_next() -> Option<Result<T, JoinError>>; join_all() -> Vec<T>
JoinHandle<T>: join() -> Result<T, JoinError>; abort(); is_finished() -> bool; abort_handle() -> AbortHandle
std::sync::Mutex<T>: lock() -> Result<T, PoisonError>; try_lock() -> Result<T, TryLockError>; into_inner() -> Result<T, PoisonError>; get_mut() -> Result<T, PoisonError>
std::sync::RwLock<T>: read() -> Result<T, PoisonError>; write() -> Result<T, PoisonError>; try_read() -> Result<T, TryLockError>; try_write() -> Result<T, TryLockError>; into_inner() -> Result<T, PoisonError>
Mutex<T>|RwLock<T>: lock() -> T; read() -> T; write() -> T; blocking_lock() -> T; lock_owned() -> T; into_inner() -> T; get_mut() -> T; read_owned() -> T; write_owned() -> T; blocking_read() -> T; blocking_write() -> T
tokio::sync::Mutex<T>|tokio::sync::RwLock<T>: try_lock() -> Result<T, TryLockError>; try_read() -> Result<T, TryLockError>; try_write() -> Result<T, TryLockError>
parking_lot::Mutex<T>|parking_lot::RwLock<T>: try_lock() -> Option<T>; try_read() -> Option<T>; try_write() -> Option<T>; upgradable_read() -> T; try_lock_for(D) -> Option<T>
RefCell<T>: borrow() -> T; borrow_mut() -> T; into_inner() -> T; replace(T) -> T; take() -> T; try_borrow() -> Result<T, BorrowError>
Cell<T>: get() -> T; set(T); replace(T) -> T; take() -> T
OnceCell<T>|OnceLock<T>: get() -> Option<T>; get_or_init(fn() -> T) -> T; set(T) -> Result<(), T>; get_or_try_init(fn() -> Result<T, E>) -> Result<T, E>; get_mut() -> Option<T>; into_inner() -> Option<T>; take() -> Option<T>
Weak<T>: upgrade() -> Option<T>
ArcSwap<T>: load() -> T; load_full() -> T; store(T); swap(T) -> T
ArcSwapOption<T>: load() -> Option<T>; load_full() -> Option<T>; store(Option<T>)
Sender<T>|UnboundedSender<T>|SyncSender<T>: send(T) -> Result<(), SendError<T>>; try_send(T) -> Result<(), TrySendError<T>>; blocking_send(T) -> Result<(), SendError<T>>; is_closed() -> bool; closed(); subscribe() -> Receiver<T>; send_replace(T) -> T; send_modify(fn(T)); send_timeout(T, D) -> Result<(), SendError<T>>; borrow() -> T; reserve() -> Result<Permit<T>, SendError>; downgrade() -> WeakSender<T>; capacity() -> usize
Permit<T>|OwnedPermit<T>: send(T)
tokio::sync::mpsc::Receiver<T>|tokio::sync::mpsc::UnboundedReceiver<T>|Receiver<T>|UnboundedReceiver<T>: recv() -> Option<T>; try_recv() -> Result<T, TryRecvError>; blocking_recv() -> Option<T>; close(); next() -> Option<T>; recv_many(V, usize) -> usize; borrow() -> T; borrow_and_update() -> T; changed() -> Result<(), RecvError>; wait_for(fn(T) -> bool) -> Result<T, RecvError>; iter() -> Iterator<T>; try_iter() -> Iterator<T>; resubscribe() -> Receiver<T>
std::sync::mpsc::Receiver<T>|tokio::sync::broadcast::Receiver<T>|flume::Receiver<T>|async_channel::Receiver<T>|crossbeam_channel::Receiver<T>: recv() -> Result<T, RecvError>; recv_timeout(D) -> Result<T, RecvTimeoutError>; try_recv() -> Result<T, TryRecvError>; recv_async() -> Result<T, RecvError>
tokio::sync::broadcast::Receiver<T>: resubscribe() -> tokio::sync::broadcast::Receiver<T>
tokio::sync::broadcast::Sender<T>: subscribe() -> tokio::sync::broadcast::Receiver<T>; send(T) -> Result<usize, SendError<T>>
tokio::sync::watch::Sender<T>: subscribe() -> tokio::sync::watch::Receiver<T>
String|str: as_str() -> str; to_string() -> String; to_owned() -> String; len() -> usize; is_empty() -> bool; trim() -> str; trim_start() -> str; trim_end() -> str; split(P) -> Iterator<str>; lines() -> Iterator<str>; chars() -> Iterator<char>; bytes() -> Iterator<u8>; char_indices() -> Iterator<(usize, char)>; split_whitespace() -> Iterator<str>
String|str: starts_with(P) -> bool; ends_with(P) -> bool; contains(P) -> bool; strip_prefix(P) -> Option<str>; strip_suffix(P) -> Option<str>; split_once(P) -> Option<(str, str)>; rsplit_once(P) -> Option<(str, str)>; find(P) -> Option<usize>; rfind(P) -> Option<usize>; replace(P, str) -> String; as_bytes() -> Vec<u8>; into_bytes() -> Vec<u8>; to_lowercase() -> String; to_uppercase() -> String
String|str: to_ascii_lowercase() -> String; to_ascii_uppercase() -> String; eq_ignore_ascii_case(str) -> bool; splitn(usize, P) -> Iterator<str>; rsplit(P) -> Iterator<str>; get(R) -> Option<str>; push(char); push_str(str); pop() -> Option<char>; clear(); repeat(usize) -> String; into_string() -> String; trim_matches(P) -> str; trim_start_matches(P) -> str; trim_end_matches(P) -> str; insert(usize, char); insert_str(usize, str); truncate(usize); is_char_boundary(usize) -> bool; split_at(usize) -> (str, str); matches(P) -> Iterator<str>; capacity() -> usize; parse() -> Result<X, Y>; encode_utf16() -> Iterator<u16>; remove(usize) -> char; drain(R) -> Iterator<char>; rsplitn(usize, P) -> Iterator<str>; chars_rev() -> Iterator<char>
bool: then(fn() -> T) -> Option<T>; then_some(T) -> Option<T>
std::time::Instant|tokio::time::Instant: elapsed() -> std::time::Duration; duration_since(I) -> std::time::Duration; checked_add(D) -> Option<Self>; saturating_duration_since(I) -> std::time::Duration
std::time::Duration: as_millis() -> u128; as_secs() -> u64; as_secs_f64() -> f64; as_micros() -> u128; as_nanos() -> u128; subsec_nanos() -> u32; checked_sub(D) -> Option<Self>; checked_mul(u32) -> Option<Self>; saturating_mul(u32) -> Self; saturating_sub(D) -> Self; saturating_add(D) -> Self; mul_f64(f64) -> Self; mul_f32(f32) -> Self; is_zero() -> bool; checked_add(D) -> Option<Self>; as_secs_f32() -> f32; div_f64(f64) -> Self
Arc<T>: clone() -> T
Ordering: then(O) -> Ordering; then_with(fn() -> Ordering) -> Ordering; reverse() -> Ordering; is_lt() -> bool; is_eq() -> bool
Range<T>|RangeInclusive<T>: map(fn(T) -> U) -> Iterator<U>; rev() -> Iterator<T>; contains(T) -> bool; filter(fn(T) -> bool) -> Iterator<T>; filter_map(fn(T) -> Option<U>) -> Iterator<U>; step_by(usize) -> Iterator<T>; len() -> usize; is_empty() -> bool; into_iter() -> Iterator<T>; start() -> T; end() -> T; zip(Iterator<U>) -> Iterator<(T, U)>; for_each(fn(T)); flat_map(fn(T) -> Iterator<U>) -> Iterator<U>; any(fn(T) -> bool) -> bool; all(fn(T) -> bool) -> bool; take(usize) -> Iterator<T>; find(fn(T) -> bool) -> Option<T>; chain(Iterator<T>) -> Iterator<T>; next() -> Option<T>; collect_vec() -> Vec<T>; into_par_iter() -> Iterator<T>
Option<Result<T, E>>: transpose() -> Result<Option<T>, E>
Result<Option<T>, E>: transpose() -> Option<Result<T, E>>
Iterator<Iterator<T>>: flatten() -> Iterator<T>
Iterator<(T, U)>: unzip() -> (Vec<T>, Vec<U>)
Iterator<Result<T, E>>: try_next() -> Result<Option<T>, E>; map_ok(fn(T) -> U) -> Iterator<Result<U, E>>; map_err(fn(E) -> F) -> Iterator<Result<T, F>>; and_then(fn(T) -> Result<U, E>) -> Iterator<Result<U, E>>
Option<(T, U)>: unzip() -> (Option<T>, Option<U>)";

const FUNCTIONS: &str = "\
Arc::new(T) -> T
Rc::new(T) -> T
Box::new(T) -> T
Box::pin(T) -> T
Pin::new(T) -> T
Box::from(T) -> T
Arc::from(T) -> T
Arc::clone(T) -> T
Rc::clone(T) -> T
Arc::downgrade(T) -> std::sync::Weak<T>
Rc::downgrade(T) -> std::rc::Weak<T>
Arc::try_unwrap(T) -> Result<T, T>
Arc::into_inner(T) -> Option<T>
Arc::make_mut(T) -> T
Arc::new_cyclic(fn(std::sync::Weak<T>) -> T) -> T
Cow::Borrowed(T) -> T
Cow::Owned(T) -> T
Mutex::new(T) -> Self<T>
RwLock::new(T) -> Self<T>
RefCell::new(T) -> Self<T>
Cell::new(T) -> Self<T>
LazyLock::new(fn() -> T) -> T
Lazy::new(fn() -> T) -> T
LazyCell::new(fn() -> T) -> T
mem::take(T) -> T
mem::replace(T, T) -> T
mem::swap(T, T)
mem::drop(T)
future::ready(T) -> T
future::ok(T) -> Result<T, E>
future::err(E) -> Result<T, E>
iter::once(T) -> Iterator<T>
iter::repeat(T) -> Iterator<T>
iter::empty() -> Iterator<T>
iter::from_fn(fn() -> Option<T>) -> Iterator<T>
iter::successors(Option<T>, fn(T) -> Option<T>) -> Iterator<T>
iter::zip(Iterator<T>, Iterator<U>) -> Iterator<(T, U)>
iter::repeat_with(fn() -> T) -> Iterator<T>
stream::iter(Iterator<T>) -> Iterator<T>
stream::once(T) -> Iterator<T>
stream::unfold(S, fn(S) -> Option<(T, S)>) -> Iterator<T>
cmp::max(T, T) -> T
cmp::min(T, T) -> T
thread::spawn(fn() -> T) -> std::thread::JoinHandle<T>
thread::sleep(D)
tokio::spawn(T) -> tokio::task::JoinHandle<T>
task::spawn(T) -> tokio::task::JoinHandle<T>
task::spawn_local(T) -> tokio::task::JoinHandle<T>
task::spawn_blocking(fn() -> T) -> tokio::task::JoinHandle<T>
task::block_in_place(fn() -> T) -> T
tokio::time::timeout(D, T) -> Result<T, tokio::time::error::Elapsed>
tokio::time::timeout_at(D, T) -> Result<T, tokio::time::error::Elapsed>
tokio::time::sleep(D)
tokio::time::sleep_until(D)
future::join_all(Iterator<T>) -> Vec<T>
future::join(T, U) -> (T, U)
future::try_join_all(Iterator<Result<T, E>>) -> Result<Vec<T>, E>
future::select_all(Iterator<T>) -> (T, usize, X)
future::poll_fn(fn(C) -> T) -> T
mpsc::channel(N) -> (tokio::sync::mpsc::Sender<T>, tokio::sync::mpsc::Receiver<T>)
mpsc::unbounded_channel() -> (tokio::sync::mpsc::UnboundedSender<T>, tokio::sync::mpsc::UnboundedReceiver<T>)
oneshot::channel() -> (tokio::sync::oneshot::Sender<T>, tokio::sync::oneshot::Receiver<T>)
watch::channel(T) -> (tokio::sync::watch::Sender<T>, tokio::sync::watch::Receiver<T>)
broadcast::channel(N) -> (tokio::sync::broadcast::Sender<T>, tokio::sync::broadcast::Receiver<T>)
std::sync::mpsc::channel() -> (std::sync::mpsc::Sender<T>, std::sync::mpsc::Receiver<T>)
std::env::var(K) -> Result<String, std::env::VarError>
std::env::args() -> Iterator<String>
fs::read_to_string(P) -> Result<String, std::io::Error>
fs::read(P) -> Result<Vec<u8>, std::io::Error>
fs::write(P, V) -> Result<(), std::io::Error>
String::new() -> String
String::from(T) -> String
String::with_capacity(usize) -> String
String::from_utf8(V) -> Result<String, std::string::FromUtf8Error>
String::from_utf8_lossy(V) -> String
str::from_utf8(V) -> Result<str, std::str::Utf8Error>
Vec::new() -> Vec<T>
Vec::with_capacity(usize) -> Vec<T>
Vec::from(Vec<T>) -> Vec<T>
VecDeque::new() -> std::collections::VecDeque<T>
HashMap::new() -> std::collections::HashMap<K, V>
HashMap::with_capacity(usize) -> std::collections::HashMap<K, V>
BTreeMap::new() -> std::collections::BTreeMap<K, V>
HashSet::new() -> std::collections::HashSet<T>
BTreeSet::new() -> std::collections::BTreeSet<T>
Instant::now() -> std::time::Instant
Duration::from_secs(u64) -> std::time::Duration
Duration::from_millis(u64) -> std::time::Duration
Duration::from_micros(u64) -> std::time::Duration
Duration::from_nanos(u64) -> std::time::Duration
Duration::from_secs_f64(f64) -> std::time::Duration
Duration::from_secs_f32(f32) -> std::time::Duration
Duration::new(u64, u32) -> std::time::Duration";
