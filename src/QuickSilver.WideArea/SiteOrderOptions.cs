namespace QuickSilver.WideArea;

/// <summary>Settings of a <see cref="SiteOrder"/>. The join copies and validates them; later changes have no effect.
/// Members may differ.</summary>
public sealed class SiteOrderOptions
{
    /// <summary>When messages are delivered to this member. <see cref="OrderedLevel.Agreed"/>: at their place, once no
    /// message can come before them. <see cref="OrderedLevel.Safe"/>: once all sites have told that they have them,
    /// too, which takes one more way between sites. The order is the same. Default: agreed.</summary>
    public OrderedLevel Level { get; set; }

    /// <summary>Bytes that may wait to be read by this member. Beyond it the member leaves the order, and its reader
    /// gets a <see cref="SlowConsumerException"/>. Default: 64 MiB.</summary>
    public long MaxUnreadBytes { get; set; } = 64 << 20;

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal SiteOrderOptions Copy() => (SiteOrderOptions)MemberwiseClone();

    internal OptionErrors Check()
    {
        var errors = new OptionErrors();
        errors.Defined(nameof(Level), Level);
        errors.InRange(nameof(MaxUnreadBytes), MaxUnreadBytes, 1, long.MaxValue);
        return errors;
    }
}
