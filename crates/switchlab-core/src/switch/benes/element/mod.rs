//! Elements: what they keep of a flow group, and the transfers of the fast engines.

pub(super) mod group;
pub(super) mod record;
pub(super) mod transfer;
