# OE-core reads licences as SPDX expressions if it has this module.
