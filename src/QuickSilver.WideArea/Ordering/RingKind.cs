namespace QuickSilver.WideArea.Ordering;

/// <summary>What a message in the ring of the order is.</summary>
internal enum RingKind : byte
{
    /// <summary>A message of a member of the site.</summary>
    Local = 1,

    /// <summary>A record of another site, put in by the gateway.</summary>
    Record = 2,

    /// <summary>A member that has no state asks for it.</summary>
    Ask = 3,

    /// <summary>The state at the place of an ask.</summary>
    State = 4,

    /// <summary>No member has a state: it begins here.</summary>
    Fresh = 5,

    /// <summary>The gateway names the sites.</summary>
    Sites = 6,

    /// <summary>The gateway asks a member for entries that it lacks.</summary>
    Request = 7,

    /// <summary>An entry for the gateway.</summary>
    Entry = 8,

    /// <summary>The gateway says which sites it reaches.</summary>
    Reach = 9,

    /// <summary>The gateway says that sites do not get on with the next view.</summary>
    Stands = 10,
}
