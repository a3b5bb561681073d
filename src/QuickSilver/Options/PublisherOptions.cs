namespace QuickSilver;

/// <summary>Settings of one <see cref="GroupPublisher"/>. The opening copies and validates them; later changes have no
/// effect.</summary>
public sealed class PublisherOptions
{
    /// <summary>The delivery guarantee of the group. The first user of the name fixes it; another mode fails with
    /// <see cref="ErrorCode.GroupModeMismatch"/>.</summary>
    public GroupMode Mode { get; set; } = GroupMode.Reliable;

    /// <summary>Reaction to an exception of a feed. Null (default):
    /// <see cref="DeliveryOptions.HandlerErrors"/>.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    internal void Validate(string parameter)
    {
        var errors = new OptionErrors();
        errors.Defined(nameof(Mode), Mode);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        errors.ThrowIfAny(parameter);
    }
}
