namespace QuickSilver;

/// <summary>Settings of one <see cref="GroupPublisher"/>. The opening copies and validates them; later changes have no
/// effect.</summary>
public sealed class PublisherOptions
{
    /// <summary>The delivery guarantee of the group, with the options of that mode; those that concern reception have
    /// no effect. The first user of the name fixes it; another mode fails with
    /// <see cref="ErrorCode.GroupModeMismatch"/>. Default: a <see cref="ReliableMode"/>.</summary>
    public ModeOptions Mode { get; set; } = ReliableMode.Default;

    /// <summary>Reaction to an exception of a feed. Null (default):
    /// <see cref="DeliveryOptions.HandlerErrors"/>.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal void Validate(string parameter) => Check().ThrowIfAny(parameter);

    private OptionErrors Check()
    {
        var errors = new OptionErrors();
        ModeOptions.Validate(errors, Mode);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        return errors;
    }
}
