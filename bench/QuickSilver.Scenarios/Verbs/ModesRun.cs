namespace QuickSilver.Scenarios.Verbs;

/// <summary>One run of the scenario of modes.</summary>
internal enum ModesRun
{
    /// <summary>A third of the groups of each mode.</summary>
    Mixed,

    /// <summary>The reliable groups alone.</summary>
    Reliable,

    /// <summary>The lateral groups alone.</summary>
    Lateral,

    /// <summary>The timed groups alone.</summary>
    Timed,

    /// <summary>No QuickSilver: the messages of all groups over a TCP connection between every two nodes.</summary>
    Tcp,

    /// <summary>The reliable groups alone, from one member at a fixed rate.</summary>
    Paced,

    /// <summary>The same beside the groups of other modes.</summary>
    PacedMixed,

    /// <summary>The reliable groups alone, from one member at full speed.</summary>
    Full,

    /// <summary>The same beside the groups of other modes.</summary>
    FullMixed,
}
