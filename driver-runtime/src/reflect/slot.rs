//! A value in a structure, by its type in the registry.

use core::marker::PhantomData;

use crate::properties::{self, Kind};

/// A member of a structure, or an element or a member of it.
#[derive(Debug)]
pub struct Slot<'a> {
    at: *mut u8,
    kind: Kind,
    length: u16,
    of: PhantomData<&'a mut u8>,
}

/// A value as files write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A number.
    Real(f64),
    /// A text, or the name of a value or flag.
    Text(&'a str),
}

/// Why a value cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotError {
    /// It is something else, as a text instead of a number.
    Type,
    /// The number is too large or too small.
    Range,
    /// The enumeration has no such name.
    Name,
    /// The text does not fit.
    Length,
}

impl<'a> Slot<'a> {
    /// # Safety
    /// A member of this type is at the address for as long as the slot lives, and no other code uses it.
    pub(super) unsafe fn new(at: *mut u8, kind: Kind, length: u16) -> Self {
        Self { at, kind, length, of: PhantomData }
    }

    /// Returns its type, or its elements' type.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the number of its elements, if it is an array but not text.
    pub fn elements(&self) -> Option<usize> {
        (self.length > 0 && self.kind != Kind::Char).then_some(self.length.into())
    }

    /// Returns an element of an array.
    pub fn element(&mut self, number: usize) -> Option<Slot<'_>> {
        self.elements().filter(|count| number < *count)?;
        let at = self.at.wrapping_add(self.kind.layout().0.saturating_mul(number));
        // SAFETY: the array has the element, and the slot is borrowed.
        Some(unsafe { Slot::new(at, self.kind, 0) })
    }

    /// Returns a member of a nested structure.
    pub fn member(&mut self, name: &str) -> Option<Slot<'_>> {
        let Kind::Nested(plain) = self.kind else { return None };
        let structure = plain.structure();
        let number = structure.members.iter().position(|it| it.name == name && self.length == 0)?;
        let row = structure.members.get(number)?;
        // SAFETY: the structure has the member, and the slot is borrowed.
        Some(unsafe { Slot::new(self.at.wrapping_add(structure.offset(number)), row.kind, row.length) })
    }

    /// Sets a value that is neither an array nor a nested structure. The name of a flag sets only that flag.
    ///
    /// # Errors
    /// [`SlotError`]; nothing is changed.
    pub fn set(&mut self, value: Value<'_>) -> Result<(), SlotError> {
        if self.kind == Kind::Char && self.length > 0 {
            let Value::Text(text) = value else { return Err(SlotError::Type) };
            return self.set_text(text);
        }
        if self.length > 0 {
            return Err(SlotError::Type);
        }
        if self.kind == Kind::F32 {
            let value = match value {
                Value::Integer(value) => value as f32,
                Value::Real(value) => value as f32,
                _ => return Err(SlotError::Type),
            };
            // SAFETY: the address has a member of this type.
            unsafe { self.at.cast::<f32>().write(value) };
            return Ok(());
        }
        let number = self.number(value)?;
        self.write(number)
    }

    /// Adds a flag.
    ///
    /// # Errors
    /// [`SlotError`]; nothing is changed.
    pub fn add_flag(&mut self, name: &str) -> Result<(), SlotError> {
        if !matches!(self.kind, Kind::Flags(_) | Kind::Flags64(_)) {
            return Err(SlotError::Type);
        }
        let number = self.number(Value::Text(name))?;
        let known = self.integer().unwrap_or_default();
        self.write(known | number)
    }

    /// Returns the value, unless it is an array or a nested structure. Enumerations and flags are numbers.
    pub fn get(&self) -> Option<Value<'_>> {
        if self.kind == Kind::Char && self.length > 0 {
            // SAFETY: the member has this number of bytes.
            let bytes = unsafe { core::slice::from_raw_parts(self.at, self.length.into()) };
            let text = core::ffi::CStr::from_bytes_until_nul(bytes).ok()?;
            return text.to_str().ok().map(Value::Text);
        }
        if self.length > 0 {
            return None;
        }
        match self.kind {
            // SAFETY: the address has a member of this type.
            Kind::F32 => Some(Value::Real(unsafe { self.at.cast::<f32>().read() }.into())),
            Kind::Bool => self.integer().map(|value| Value::Bool(value != 0)),
            _ => self.integer().map(Value::Integer),
        }
    }

    fn set_text(&mut self, text: &str) -> Result<(), SlotError> {
        // One byte is the NUL.
        if text.len() >= self.length.into() {
            return Err(SlotError::Length);
        }
        // SAFETY: the member has this number of bytes.
        unsafe {
            self.at.write_bytes(0, self.length.into());
            self.at.copy_from(text.as_ptr(), text.len());
        }
        Ok(())
    }

    fn number(&self, value: Value<'_>) -> Result<i128, SlotError> {
        match (value, self.kind) {
            (Value::Bool(value), Kind::Bool) => Ok(value.into()),
            (Value::Integer(value @ 0..=1), Kind::Bool) => Ok(value),
            (Value::Text(name), Kind::Enum(names) | Kind::Flags(names) | Kind::Flags64(names)) => {
                properties::value(names.values(), name).map(i128::from).ok_or(SlotError::Name)
            }
            (_, Kind::Bool | Kind::Nested(_) | Kind::Array | Kind::F32) => Err(SlotError::Type),
            (Value::Integer(value), _) => Ok(value),
            // Writers of files may give a whole number a point or an exponent.
            (Value::Real(value), _) if value as i128 as f64 == value => Ok(value as i128),
            _ => Err(SlotError::Type),
        }
    }

    fn write(&mut self, number: i128) -> Result<(), SlotError> {
        macro_rules! write {
            ($of:ty) => {{
                let value = <$of>::try_from(number).map_err(|_| SlotError::Range)?;
                // SAFETY: the address has a member of this type.
                unsafe { self.at.cast::<$of>().write(value) };
            }};
        }
        match self.kind {
            Kind::U8 | Kind::Char => write!(u8),
            Kind::I32 | Kind::Enum(_) => write!(i32),
            Kind::Bool | Kind::U32 | Kind::Flags(_) => write!(u32),
            Kind::I64 => write!(i64),
            Kind::U64 | Kind::Flags64(_) => write!(u64),
            Kind::Size => write!(usize),
            Kind::F32 | Kind::Nested(_) | Kind::Array => return Err(SlotError::Type),
        }
        Ok(())
    }

    fn integer(&self) -> Option<i128> {
        // SAFETY: the address has a member of this type.
        unsafe {
            Some(match self.kind {
                Kind::U8 | Kind::Char => self.at.read().into(),
                Kind::I32 | Kind::Enum(_) => self.at.cast::<i32>().read().into(),
                Kind::Bool | Kind::U32 | Kind::Flags(_) => self.at.cast::<u32>().read().into(),
                Kind::I64 => self.at.cast::<i64>().read().into(),
                Kind::U64 | Kind::Flags64(_) => self.at.cast::<u64>().read().into(),
                Kind::Size => self.at.cast::<usize>().read() as i128,
                Kind::F32 | Kind::Nested(_) | Kind::Array => return None,
            })
        }
    }
}
