namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Kinds of trouble that a run may know. Each run leaves out most of them, so that rare combinations of the
/// others get their turn (swarm testing).</summary>
internal enum FaultKind : byte
{
    /// <summary>More loss for a while, on all links or some.</summary>
    Loss,

    /// <summary>Loss in bursts, by link, sender or receiver.</summary>
    Bursts,

    /// <summary>One kind of datagram lost, several in a row.</summary>
    ChosenKind,

    /// <summary>The last message of a sender lost at everybody.</summary>
    LastMessage,

    /// <summary>Old datagrams that come again much later.</summary>
    LateDuplicates,

    /// <summary>Damage.</summary>
    Corruption,

    /// <summary>Links cut in one direction.</summary>
    OneWay,

    /// <summary>Two sets of nodes that do not see each other, while others see both.</summary>
    Partial,

    /// <summary>Islands that all reach the membership server.</summary>
    Islands,

    /// <summary>Islands that are cut off from the membership server as well.</summary>
    ServerIslands,

    /// <summary>Nodes that receive nothing.</summary>
    Deaf,

    /// <summary>Nodes from which nothing comes.</summary>
    Mute,

    /// <summary>Multicast broken, unicast well.</summary>
    MulticastOutage,

    /// <summary>Unicast broken, multicast well.</summary>
    UnicastOutage,

    /// <summary>Nodes that stand still, shorter than the detector's patience.</summary>
    Freeze,

    /// <summary>Nodes that stand still, longer than the detector's patience.</summary>
    LongFreeze,

    /// <summary>Nodes that work slowly.</summary>
    Slow,

    /// <summary>Nodes that end and do not come back.</summary>
    Crash,

    /// <summary>Nodes that end and come back as new incarnations, before or after they are removed.</summary>
    Restart,

    /// <summary>Many nodes that end at the same instant, and come back or not.</summary>
    PowerLoss,

    /// <summary>Channels to the membership server that break.</summary>
    ChannelOutage,

    /// <summary>Channels to the membership server that stand still.</summary>
    ChannelStall,

    /// <summary>A membership server that dies and is replaced at once.</summary>
    ServerReplacement,

    /// <summary>A membership server that dies and is replaced after a while.</summary>
    ServerOutage,

    /// <summary>Links that stop one by one and are mended one by one, in another order.</summary>
    Swizzle,

    /// <summary>Every copy of one kind of datagram late by the same time, so that all others overtake it.</summary>
    KindDelay,

    /// <summary>Single copies of single datagrams lost or late.</summary>
    SingleCopies,

    /// <summary>Many processes that die together, the membership's host too, and come back under their names.</summary>
    RackRestart,

    /// <summary>As a rack, but most come back later than survivors are waited for.</summary>
    SurvivingMinority,

    /// <summary>A membership host whose port is cut: it sees nobody, and the others see each other.</summary>
    HostPortCut,

    /// <summary>A process that is stopped and goes on, again and again.</summary>
    Stutter,

    /// <summary>Processes that end and are started again several times, some before they have joined.</summary>
    RestartStorm,

    /// <summary>A way between two machines that breaks and is mended, again and again.</summary>
    FlappingWay,

    /// <summary>Applications whose handlers are slow.</summary>
    SlowHandler,

    /// <summary>Nodes that are replaced by ones of other builds, which speak other versions.</summary>
    MixedVersions,
}
