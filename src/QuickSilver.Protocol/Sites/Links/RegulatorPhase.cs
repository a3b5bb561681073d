namespace QuickSilver.Protocol.Sites.Links;

/// <summary>What a regulator is doing.</summary>
internal enum RegulatorPhase : byte
{
    /// <summary>The rate doubles with each round trip, until more is not received.</summary>
    Startup,

    /// <summary>The queue that this has made is let run out.</summary>
    Drain,

    /// <summary>A little more is tried now and then, and a little less after it.</summary>
    Cycle,
}
