using System.Collections.Frozen;
using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace QuickSilver.Hosting;

/// <summary>Reads the mode of a group from a section: its name alone, or keys for its options and <c>Kind</c> for its
/// name. The generated binder makes no value of a closed set of types.</summary>
internal static class ModeSection
{
    /// <summary>The key with the name of the mode, beside its options.</summary>
    public const string Kind = "Kind";

    private static readonly FrozenDictionary<string, Shape> Shapes = new Dictionary<string, Shape>
    {
        [nameof(GroupMode.Reliable)] = new(new ReliableMode(), new()
        {
            [nameof(ReliableMode.Hybrid)] = Of<ReliableMode, bool>((mode, value) => mode with { Hybrid = value }),
            [nameof(ReliableMode.KeepLongMessages)] =
                Of<ReliableMode, bool>((mode, value) => mode with { KeepLongMessages = value }),
            [nameof(ReliableMode.LongMessageMaxUnreadBytes)] =
                Of<ReliableMode, long>((mode, value) => mode with { LongMessageMaxUnreadBytes = value }),
        }),
        [nameof(GroupMode.Lateral)] = new(new LateralMode(), new()
        {
            [nameof(LateralMode.PacketsPerRepair)] =
                Of<LateralMode, int>((mode, value) => mode with { PacketsPerRepair = value }),
            [nameof(LateralMode.RepairsPerPacket)] =
                Of<LateralMode, double>((mode, value) => mode with { RepairsPerPacket = value }),
            [nameof(LateralMode.Stagger)] = Of<LateralMode, int>((mode, value) => mode with { Stagger = value }),
            [nameof(LateralMode.Xor)] = Of<LateralMode, bool>((mode, value) => mode with { Xor = value }),
            [nameof(LateralMode.InOrder)] = Of<LateralMode, bool>((mode, value) => mode with { InOrder = value }),
            [nameof(LateralMode.Deadline)] =
                Of<LateralMode, TimeSpan>((mode, value) => mode with { Deadline = value }),
        }),
        [nameof(GroupMode.Timed)] = new(new TimedMode(), new()
        {
            [nameof(TimedMode.TimeToLive)] =
                Of<TimedMode, TimeSpan>((mode, value) => mode with { TimeToLive = value }),
            [nameof(TimedMode.PacketsPerSecond)] =
                Of<TimedMode, int>((mode, value) => mode with { PacketsPerSecond = value }),
            [nameof(TimedMode.BytesPerSecond)] =
                Of<TimedMode, long>((mode, value) => mode with { BytesPerSecond = value }),
            [nameof(TimedMode.MessagesPerSecond)] =
                Of<TimedMode, int>((mode, value) => mode with { MessagesPerSecond = value }),
            [nameof(TimedMode.MaxMessageBytes)] =
                Of<TimedMode, int>((mode, value) => mode with { MaxMessageBytes = value }),
            [nameof(TimedMode.Supersede)] = Of<TimedMode, bool>((mode, value) => mode with { Supersede = value }),
            [nameof(TimedMode.LatestOnly)] = Of<TimedMode, bool>((mode, value) => mode with { LatestOnly = value }),
            [nameof(TimedMode.PartnerRepair)] =
                Of<TimedMode, bool>((mode, value) => mode with { PartnerRepair = value }),
        }),
        [nameof(GroupMode.Ordered)] = new(new OrderedMode(), new()
        {
            [nameof(OrderedMode.Level)] = OfEnum<OrderedMode, OrderedLevel>(
                (mode, value) => mode with { Level = value }),
        }),
    }.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);

    private delegate ModeOptions Change(ModeOptions mode, string text);

    private static string Names => string.Join(", ", Enum.GetNames<GroupMode>());

    /// <summary>Reads a mode.</summary>
    /// <param name="section">The section.</param>
    /// <param name="tell">Takes each mistake, with the names of the keys to it from here.</param>
    /// <returns>The mode; null for a section that says nothing, or whose mode is not known.</returns>
    public static ModeOptions? Read(IConfigurationSection section, Action<string, string> tell)
    {
        IConfigurationSection[] keys =
            [.. section.GetChildren().Where(static key => !key.Key.Equals(Kind, StringComparison.OrdinalIgnoreCase))];
        string at = string.IsNullOrEmpty(section.Value) ? Kind : "";
        string? name = at.Length == 0 ? section.Value : section[Kind];
        if (string.IsNullOrEmpty(name))
        {
            if (keys.Length > 0) tell(Kind, $"is missing: it is one of {Names}");
            return null;
        }
        if (!Shapes.TryGetValue(name, out Shape? shape))
        {
            tell(at, $"'{name}' does not fit: it is one of {Names}");
            return null;
        }
        ModeOptions mode = shape.Defaults;
        foreach (IConfigurationSection key in keys)
        {
            try
            {
                if (!shape.Options.TryGetValue(key.Key, out Change? change))
                    tell(key.Key, $"there is no such option in the mode {shape.Defaults.GetType().Name}");
                else if (key.GetChildren().Any())
                    tell(key.Key, "is one value, and has keys of its own");
                else if (!string.IsNullOrEmpty(key.Value))
                    mode = change(mode, key.Value);
            }
            catch (Exception fault) when (fault is FormatException or OverflowException)
            {
                tell(key.Key, $"'{key.Value}' does not fit: {fault.Message}");
            }
        }
        return mode;
    }

    private static Change Of<TMode, T>(Func<TMode, T, TMode> change)
        where TMode : ModeOptions
        where T : IParsable<T> =>
        (mode, text) => change((TMode)mode, T.Parse(text, CultureInfo.InvariantCulture));

    private static Change OfEnum<TMode, T>(Func<TMode, T, TMode> change)
        where TMode : ModeOptions
        where T : struct, Enum =>
        (mode, text) => Enum.TryParse(text, ignoreCase: true, out T value) && Enum.IsDefined(value)
            ? change((TMode)mode, value)
            : throw new FormatException($"it is one of {string.Join(", ", Enum.GetNames<T>())}");

    // The names of options have no case, as everywhere in a configuration.
    private sealed class Shape(ModeOptions defaults, Dictionary<string, Change> options)
    {
        public ModeOptions Defaults => defaults;

        public FrozenDictionary<string, Change> Options { get; } =
            options.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
    }
}
