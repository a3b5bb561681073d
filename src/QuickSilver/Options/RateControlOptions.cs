using System.Diagnostics.CodeAnalysis;

namespace QuickSilver;

/// <summary>Limits on a node's sending rate, in packets per second and per region. In groups of other modes than
/// <see cref="GroupMode.Reliable"/>, <see cref="MaxPacketsPerSecond"/> and the constant rate limit what the node sends
/// first, in all groups of a mode together; nothing else here concerns them.</summary>
public sealed class RateControlOptions
{
    /// <summary>True: the rate stays at <see cref="InitialPacketsPerSecond"/>, as in the papers; for comparisons.
    /// False: it follows the reading speed of the region's slowest member. Default: false.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Fixed { get; set; }

    /// <summary>The rate before the first feedback, and the constant rate if <see cref="Fixed"/> is true.
    /// Default: 10,000.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int InitialPacketsPerSecond { get; set; } = 10_000;

    /// <summary>Lower limit of the rate. Default: 100.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MinPacketsPerSecond { get; set; } = 100;

    /// <summary>Upper limit of the rate. 0 (default): no limit.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MaxPacketsPerSecond { get; set; }

    internal RateControlOptions Copy() => (RateControlOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("RateControl.InitialPacketsPerSecond", InitialPacketsPerSecond, 1, int.MaxValue);
        errors.InRange("RateControl.MinPacketsPerSecond", MinPacketsPerSecond, 1, int.MaxValue);
        errors.InRange("RateControl.MaxPacketsPerSecond", MaxPacketsPerSecond, 0, int.MaxValue);
        if (InitialPacketsPerSecond < MinPacketsPerSecond)
            errors.Add(
                "RateControl.InitialPacketsPerSecond",
                $"{InitialPacketsPerSecond} is below RateControl.MinPacketsPerSecond ({MinPacketsPerSecond})");
        if (MaxPacketsPerSecond > 0 && MaxPacketsPerSecond < InitialPacketsPerSecond)
            errors.Add(
                "RateControl.MaxPacketsPerSecond",
                $"{MaxPacketsPerSecond} is below RateControl.InitialPacketsPerSecond ({InitialPacketsPerSecond})");
    }
}
