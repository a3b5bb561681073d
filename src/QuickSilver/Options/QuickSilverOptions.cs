using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Testing;

namespace QuickSilver;

/// <summary>
/// Everything a node can be told. Every option has a default that works on one machine. Copied and validated by
/// <see cref="QuickSilverNode.StartAsync"/>: later changes have no effect. Plain properties throughout, so a configuration section binds to it.
/// </summary>
public sealed class QuickSilverOptions
{
    /// <summary>Nodes of one cluster name find each other; others do not hear them. 1-255 bytes of UTF-8 without control characters.
    /// Default: "default".</summary>
    public string ClusterName { get; set; } = "default";

    /// <summary>Name of the node, for people; 1-255 bytes of UTF-8 without control characters. Null (default): host, process id and a
    /// number.</summary>
    public string? NodeName { get; set; }

    /// <summary>Sockets.</summary>
    public TransportOptions Transport { get; private set; } = new();

    /// <summary>The membership server.</summary>
    public MembershipOptions Membership { get; private set; } = new();

    /// <summary>Sending rates.</summary>
    public RateControlOptions RateControl { get; private set; } = new();

    /// <summary>Loss and repair.</summary>
    public RecoveryOptions Recovery { get; private set; } = new();

    /// <summary>What waits for the application.</summary>
    public DeliveryOptions Delivery { get; private set; } = new();

    /// <summary>What waits to be held by everybody.</summary>
    public PendingOptions Pending { get; private set; } = new();

    /// <summary>The core thread.</summary>
    public LoopOptions Loop { get; private set; } = new();

    /// <summary>Orderly ends.</summary>
    public ShutdownOptions Shutdown { get; private set; } = new();

    /// <summary>Faults to inject, for tests; null: none. Set through <see cref="FaultExtensions"/>.</summary>
    internal FaultOptions? Faults { get; set; }

    internal ILoggerFactory LoggerFactory { get; private set; } = NullLoggerFactory.Instance;

    internal IMeterFactory? MeterFactory { get; private set; }

    /// <summary>Where log messages go; nowhere by default. Called from a pool thread, never from the core thread. The
    /// factory stays the caller's.</summary>
    /// <returns>This instance.</returns>
    public QuickSilverOptions UseLoggerFactory(ILoggerFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        LoggerFactory = factory;
        return this;
    }

    /// <summary>Who makes the meter named "QuickSilver"; by default the node makes its own. The factory stays the caller's.</summary>
    /// <returns>This instance.</returns>
    public QuickSilverOptions UseMeterFactory(IMeterFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        MeterFactory = factory;
        return this;
    }

    /// <summary>What is wrong, one finding an entry, each beginning with the path of the option ("Transport.PortRange: …"); empty
    /// when all is well.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal OptionErrors Check()
    {
        var errors = new OptionErrors();
        if (!Names.IsValid(ClusterName))
            errors.Add("ClusterName", $"is not 1-255 bytes of UTF-8 without control or hidden characters: {Names.Fault(ClusterName)}");
        if (NodeName is not null && !Names.IsValid(NodeName))
        {
            errors.Add(
                "NodeName",
                $"is not 1-255 bytes of UTF-8 without control or hidden characters: {Names.Fault(NodeName)}; leave it null for the default");
        }
        Transport.Validate(errors);
        Membership.Validate(errors);
        RateControl.Validate(errors);
        Recovery.Validate(errors);
        Delivery.Validate(errors);
        Pending.Validate(errors);
        Loop.Validate(errors);
        Shutdown.Validate(errors);
        Faults?.Validate(errors);
        if (Transport.Kind == TransportKind.InMemory && Membership.Mode != MembershipMode.Loopback)
            errors.Add(
                "Transport.Kind", $"InMemory reaches nodes of this process only, and Membership.Mode is {Membership.Mode}: set that to Loopback");
        return errors;
    }

    /// <summary>What the limits of memory allow together.</summary>
    internal decimal LimitsBytes => (decimal)Delivery.InboxMaxBytesPerNode + Pending.MaxBytesPerNode + Recovery.CacheBytes;

    /// <summary>Fills in the limits of memory that were not set.</summary>
    internal void Settle(HeapShares shares)
    {
        Delivery.Settle(shares);
        Pending.Settle(shares);
        Recovery.Settle(shares);
    }

    internal QuickSilverOptions Copy()
    {
        var copy = (QuickSilverOptions)MemberwiseClone();
        copy.Transport = Transport.Copy();
        copy.Membership = Membership.Copy();
        copy.RateControl = RateControl.Copy();
        copy.Recovery = Recovery.Copy();
        copy.Delivery = Delivery.Copy();
        copy.Pending = Pending.Copy();
        copy.Loop = Loop.Copy();
        copy.Shutdown = Shutdown.Copy();
        copy.Faults = Faults?.Copy();
        return copy;
    }
}
