using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Timed;

namespace QuickSilver;

/// <summary>The options of modes, which those who join and those who publish have in common.</summary>
internal static class GroupModeOptions
{
    /// <summary>Checks a mode and the settings that belong to one mode each.</summary>
    public static void Validate(
        OptionErrors errors,
        GroupMode mode,
        bool isHybrid,
        LateralOptions? lateral,
        TimedOptions? timed)
    {
        errors.Defined(nameof(GroupOptions.Mode), mode);
        if (lateral is not null && mode != GroupMode.Lateral)
            errors.Add(nameof(GroupOptions.Lateral), "is used by GroupMode.Lateral only");
        if (isHybrid && mode != GroupMode.Reliable)
            errors.Add(nameof(GroupOptions.Hybrid), "is used by GroupMode.Reliable only");
        if (timed is not null && mode != GroupMode.Timed)
            errors.Add(nameof(GroupOptions.Timed), "is used by GroupMode.Timed only");
        lateral?.Validate(errors);
        timed?.Validate(errors);
    }

    /// <summary>What the protocol is told of the mode's settings; null for the mode's defaults.</summary>
    public static ModeSettings? ToSettings(GroupMode mode, LateralOptions? lateral, TimedOptions? timed) =>
        mode switch
        {
            GroupMode.Lateral => lateral?.ToSettings(),
            GroupMode.Timed => (timed ?? new TimedOptions()).ToSettings(),
            _ => null,
        };

    /// <summary>The longest message that a group takes, as far as its mode says.</summary>
    public static int LongestMessage(ModeSettings? settings) =>
        settings is TimedSettings timed ? timed.MaxMessageBytes : int.MaxValue;
}
