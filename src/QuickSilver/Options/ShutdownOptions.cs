namespace QuickSilver;

/// <summary>Time limits of an orderly shutdown.</summary>
public sealed class ShutdownOptions
{
    /// <summary>How long disposes wait until every live member holds the messages that were sent. All disposes of a
    /// node share it, its own included: what they have waited is gone, and comes back as time passes without one. Each
    /// has at least a tenth of a second. Default: 5 s.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Upper bound for <see cref="QuickSilverNode.DisposeAsync"/>, including draining. After it the core
    /// thread is abandoned (for example because a handler hangs). The watch over addresses, the connection and the
    /// log may each add up to one second. Default: 10 s.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    internal ShutdownOptions Copy() => (ShutdownOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.NotNegative("Shutdown.DrainTimeout", DrainTimeout);
        errors.Positive("Shutdown.Timeout", Timeout);
        if (DrainTimeout > Timeout)
            errors.Add("Shutdown.DrainTimeout", $"{DrainTimeout} is longer than Shutdown.Timeout ({Timeout})");
    }
}
