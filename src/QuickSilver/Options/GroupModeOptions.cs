using QuickSilver.Protocol.Modes;

namespace QuickSilver;

/// <summary>The options of modes, which those who join and those who publish have in common.</summary>
internal static class GroupModeOptions
{
    /// <summary>Checks a mode and the settings that belong to one mode each.</summary>
    public static void Validate(OptionErrors errors, GroupMode mode, bool isHybrid, LateralOptions? lateral)
    {
        errors.Defined(nameof(GroupOptions.Mode), mode);
        if (mode == GroupMode.Timed)
            errors.Add(nameof(GroupOptions.Mode), $"{mode} is not built in this version");
        if (lateral is not null && mode != GroupMode.Lateral)
            errors.Add(nameof(GroupOptions.Lateral), "is used by GroupMode.Lateral only");
        if (isHybrid && mode != GroupMode.Reliable)
            errors.Add(nameof(GroupOptions.Hybrid), "is used by GroupMode.Reliable only");
        lateral?.Validate(errors);
    }

    /// <summary>What the protocol is told of the mode's settings; null for the mode's defaults.</summary>
    public static ModeSettings? ToSettings(LateralOptions? lateral) => lateral?.ToSettings();
}
