namespace QuickSilver;

/// <summary>How fast a node sends: packets per second and region.</summary>
public sealed class RateControlOptions
{
    /// <summary>How the rate is found. Default: <see cref="RateControlMode.Adaptive"/>.</summary>
    public RateControlMode Mode { get; set; } = RateControlMode.Adaptive;

    /// <summary>The rate before the first feedback, and the rate in <see cref="RateControlMode.Fixed"/>. Default: 10,000.</summary>
    public int Initial { get; set; } = 10_000;

    /// <summary>The slowest rate. Default: 100.</summary>
    public int Min { get; set; } = 100;

    /// <summary>The fastest rate; 0 (default): none.</summary>
    public int Max { get; set; }

    internal void CopyTo(RateControlOptions copy)
    {
        copy.Mode = Mode;
        copy.Initial = Initial;
        copy.Min = Min;
        copy.Max = Max;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("RateControl.Mode", Mode);
        errors.InRange("RateControl.Initial", Initial, 1, int.MaxValue);
        errors.InRange("RateControl.Min", Min, 1, int.MaxValue);
        errors.InRange("RateControl.Max", Max, 0, int.MaxValue);
        if (Initial < Min) errors.Add("RateControl.Initial", $"{Initial} is below RateControl.Min ({Min})");
        if (Max > 0 && Max < Initial) errors.Add("RateControl.Max", $"{Max} is below RateControl.Initial ({Initial})");
    }
}
