namespace QuickSilver.Bench.Traffic;

/// <summary>
/// Parts of a run. Each message says which one it belongs to, so receivers measure the same messages without a common
/// clock signal.
/// </summary>
internal enum RunPhase
{
    /// <summary>Compilers, buffers and rates settle; not measured.</summary>
    WarmUp,

    /// <summary>Measured.</summary>
    Measured,

    /// <summary>Traffic goes on for a moment, so that the end of the measured part is seen under load; not
    /// measured.</summary>
    CoolDown,
}
