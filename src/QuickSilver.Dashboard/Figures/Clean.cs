namespace QuickSilver.Dashboard.Figures;

/// <summary>Makes figures of other nodes fit for JSON, which has no number for what is infinite or none.</summary>
internal static class Clean
{
    /// <summary>The figure; 0 if it is no number or below 0.</summary>
    public static double Of(double value) => double.IsFinite(value) && value > 0 ? value : 0;

    /// <summary>Milliseconds of a time; 0 without one.</summary>
    public static double Milliseconds(TimeSpan? time) => Of(time?.TotalMilliseconds ?? 0);
}
