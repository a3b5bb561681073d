namespace QuickSilver.Protocol.Probing;

/// <summary>
/// Places where the protocol may, at the simulator's whim, take a rare but legal turn: a timer that fires early,
/// something sent twice, a store that claims to be full. Nothing may break by it; it makes rare states common.
/// Production never takes such a turn: see
/// <see cref="Probes.Here"/>. Saved runs name sites by their bits, so a new one comes last.
/// </summary>
internal enum BuggifySite : byte
{
    /// <summary>A packet that could be stored is refused for want of room; it comes again by recovery.</summary>
    StoreRefused,

    /// <summary>A token's hop is taken for unanswered after a tenth of the time.</summary>
    HopTimesOutEarly,

    /// <summary>A token's hop is sent twice in a row.</summary>
    TokenSentTwice,

    /// <summary>A token that fits into one datagram travels in several.</summary>
    TokenInSmallParts,

    /// <summary>A gap is pulled a fifth of a second late: the token's way of repair comes first.</summary>
    GapPulledLate,

    /// <summary>A member loses patience with the leader after an eighth of the time.</summary>
    TakeoverEarly,

    /// <summary>The word on what is stable, or how far readers are, is not sent to a sender.</summary>
    AckWithheld,

    /// <summary>A token's hop is not acknowledged this time.</summary>
    HopAckWithheld,

    /// <summary>A beacon follows a packet at once.</summary>
    BeaconEarly,

    /// <summary>A train of one datagram, whatever waits.</summary>
    TrainCutShort,

    /// <summary>A packet of one message, whatever waits.</summary>
    PacketClosedEarly,

    /// <summary>The pace allows nothing for a millisecond.</summary>
    RateRefused,

    /// <summary>A packet of a view that is not installed is not kept.</summary>
    UnrecognisedRefused,

    /// <summary>The server gathers changes for as long as it may.</summary>
    BatchGatheredLong,

    /// <summary>A step is activated after a tenth of the time, without those that have not installed it.</summary>
    InstallCutShort,

    /// <summary>A read is kept where it lies although it fills little of its buffer.</summary>
    ShortReadKept,

    /// <summary>A group whose sources could write into packets takes its turn at the buffer.</summary>
    SourceKeptFromPackets,

    /// <summary>A source's messages are expected to have the length of the one before, whatever came so far.</summary>
    RunExpected,

    /// <summary>A member is sent copies by unicast, though it has not asked for them.</summary>
    MemberCopiedUnasked,
}
