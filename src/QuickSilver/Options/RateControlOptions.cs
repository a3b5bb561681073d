namespace QuickSilver;

/// <summary>How fast a node sends: packets per second and region.</summary>
public sealed class RateControlOptions
{
    /// <summary>How the rate is found. Default: <see cref="RateControlMode.Adaptive"/>.</summary>
    public RateControlMode Mode { get; set; } = RateControlMode.Adaptive;

    /// <summary>The rate before the first feedback, and the rate in <see cref="RateControlMode.Fixed"/>. Default: 10,000.</summary>
    public int InitialPacketsPerSecond { get; set; } = 10_000;

    /// <summary>The slowest rate. Default: 100.</summary>
    public int MinPacketsPerSecond { get; set; } = 100;

    /// <summary>The fastest rate; 0 (default): none.</summary>
    public int MaxPacketsPerSecond { get; set; }

    internal RateControlOptions Copy() => (RateControlOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("RateControl.Mode", Mode);
        errors.InRange("RateControl.InitialPacketsPerSecond", InitialPacketsPerSecond, 1, int.MaxValue);
        errors.InRange("RateControl.MinPacketsPerSecond", MinPacketsPerSecond, 1, int.MaxValue);
        errors.InRange("RateControl.MaxPacketsPerSecond", MaxPacketsPerSecond, 0, int.MaxValue);
        if (InitialPacketsPerSecond < MinPacketsPerSecond) errors.Add("RateControl.InitialPacketsPerSecond", $"{InitialPacketsPerSecond} is below RateControl.MinPacketsPerSecond ({MinPacketsPerSecond})");
        if (MaxPacketsPerSecond > 0 && MaxPacketsPerSecond < InitialPacketsPerSecond) errors.Add("RateControl.MaxPacketsPerSecond", $"{MaxPacketsPerSecond} is below RateControl.InitialPacketsPerSecond ({InitialPacketsPerSecond})");
    }
}
