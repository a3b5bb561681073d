namespace QuickSilver.Bench.Chaos;

/// <summary>What is done to a running cluster.</summary>
internal enum ChaosFaultKind
{
    /// <summary>Kill -9 of one process, started again after a while.</summary>
    Kill,

    /// <summary>Kill -9 of the process that hosts the membership at that moment, started again after a while.</summary>
    KillHost,

    /// <summary>Kill -9 at one instant of all nodes of a class but one; all are started again after a while.</summary>
    KillClass,

    /// <summary>SIGSTOP for less than the failure timeout.</summary>
    ShortStop,

    /// <summary>SIGSTOP for longer than the failure timeout.</summary>
    LongStop,

    /// <summary>The node leaves all its groups in good order, and joins them again.</summary>
    Bounce,

    /// <summary>The process ends its node in good order and starts another one.</summary>
    Restart,
}
