using System.Text.Json.Serialization;
using QuickSilver.Protocol.Modes;

namespace QuickSilver;

/// <summary>The mode of a group, with the options that only this mode has: a <see cref="ReliableMode"/>, a
/// <see cref="LateralMode"/>, a <see cref="TimedMode"/> or an <see cref="OrderedMode"/>. There are no others. Values do
/// not change: <c>with</c> makes another one. Views and statistics name the mode as <see cref="GroupMode"/>.</summary>
[JsonPolymorphic(TypeDiscriminatorPropertyName = nameof(Kind))]
[JsonDerivedType(typeof(ReliableMode), nameof(GroupMode.Reliable))]
[JsonDerivedType(typeof(LateralMode), nameof(GroupMode.Lateral))]
[JsonDerivedType(typeof(TimedMode), nameof(GroupMode.Timed))]
[JsonDerivedType(typeof(OrderedMode), nameof(GroupMode.Ordered))]
public abstract record ModeOptions
{
    private protected ModeOptions()
    {
    }

    /// <summary>The name of the mode.</summary>
    internal abstract GroupMode Kind { get; }

    /// <summary>Whether the group has a multicast address of its own.</summary>
    internal virtual bool IsHybrid => false;

    /// <summary>The longest message that a group takes, as far as its mode says.</summary>
    internal virtual int LongestMessage => int.MaxValue;

    /// <summary>Adds the faults of a mode that a user has set.</summary>
    internal static void Validate(OptionErrors errors, ModeOptions? mode)
    {
        if (mode is null) errors.Add(nameof(GroupOptions.Mode), "is null");
        else mode.Validate(errors);
    }

    /// <summary>What the protocol is told of the mode; null for a mode that has nothing to tell.</summary>
    internal abstract ModeSettings? ToSettings();

    private protected abstract void Validate(OptionErrors errors);

    private protected static string PathOf(string option) => $"{nameof(GroupOptions.Mode)}.{option}";
}
