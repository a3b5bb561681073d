using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using QuickSilver.Protocol.Security;
using QuickSilver.Security;
using QuickSilver.Testing;

namespace QuickSilver;

/// <summary>
/// All settings of a node. Every option has a default that works on one machine.
/// <see cref="QuickSilverNode.StartAsync"/> copies and validates them: later changes have no effect. The properties are
/// plain, so a configuration section binds to them.
/// </summary>
public sealed class QuickSilverOptions
{
    /// <summary>Name of the cluster. Nodes with the same name find each other and ignore all others. 1-255 bytes of
    /// UTF-8 without control characters. Default: "default".</summary>
    public string ClusterName { get; set; } = "default";

    /// <summary>Readable name of the node for logs and diagnostics. 1-255 bytes of UTF-8 without control characters.
    /// Null (default): host, process id and a number.</summary>
    public string? NodeName { get; set; }

    /// <summary>Sockets: interface, addresses, sizes.</summary>
    public TransportOptions Transport { get; private set; } = new();

    /// <summary>Location and timing of the membership server.</summary>
    public MembershipOptions Membership { get; private set; } = new();

    /// <summary>Keys and certificates that keep others out.</summary>
    public SecurityOptions Security { get; private set; } = new();

    /// <summary>Sending rates.</summary>
    public RateControlOptions RateControl { get; private set; } = new();

    /// <summary>Detection and repair of lost packets.</summary>
    public RecoveryOptions Recovery { get; private set; } = new();

    /// <summary>Buffering of received messages.</summary>
    public DeliveryOptions Delivery { get; private set; } = new();

    /// <summary>Limits on messages that not every live member holds yet.</summary>
    public PendingOptions Pending { get; private set; } = new();

    /// <summary>The ring of ordered groups.</summary>
    public OrderingOptions Ordering { get; private set; } = new();

    /// <summary>The core thread.</summary>
    public LoopOptions Loop { get; private set; } = new();

    /// <summary>Time limits of an orderly shutdown.</summary>
    public ShutdownOptions Shutdown { get; private set; } = new();

    /// <summary>Faults to inject in tests; null for none.</summary>
    internal FaultOptions? Faults { get; set; }

    /// <summary>The cryptography of nodes and servers of these options; null: datagrams are not sealed.</summary>
    internal ICryptoSuite? Crypto { get; set; }

    /// <summary>What protects the node; set when it starts.</summary>
    internal SecurityPlan Protection { get; set; } = SecurityPlan.None;

    internal ILoggerFactory? LoggerFactory { get; private set; }

    internal IMeterFactory? MeterFactory { get; private set; }

    /// <summary>Sets the factory of the node's loggers. Loggers are called from a pool thread, never from the core
    /// thread. The caller keeps ownership of the factory. Default: warnings and errors go to the standard error stream,
    /// or nowhere with <see cref="TransportKind.InMemory"/>. NullLoggerFactory.Instance: no log.</summary>
    /// <returns>This instance.</returns>
    public QuickSilverOptions UseLoggerFactory(ILoggerFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        LoggerFactory = factory;
        return this;
    }

    /// <summary>Sets the factory of the meter named "QuickSilver". The caller keeps ownership of the factory. Default:
    /// the node creates its own meter.</summary>
    /// <returns>This instance.</returns>
    public QuickSilverOptions UseMeterFactory(IMeterFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        MeterFactory = factory;
        return this;
    }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the path of its option
    /// ("Transport.PortRange: …"). Empty if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal OptionErrors Check()
    {
        var errors = new OptionErrors();
        if (!Names.IsValid(ClusterName))
            errors.Add(
                "ClusterName",
                $"is not 1-255 bytes of UTF-8 without control or hidden characters: {Names.Fault(ClusterName)}");
        if (NodeName is not null && !Names.IsValid(NodeName))
        {
            errors.Add(
                "NodeName",
                $"is not 1-255 bytes of UTF-8 without control or hidden characters: {Names.Fault(NodeName)}; "
                + "leave it null for the default");
        }
        Transport.Validate(errors);
        Membership.Validate(errors);
        Security.Validate(errors);
        SecurityChoice.Validate(this, errors);
        RateControl.Validate(errors);
        Recovery.Validate(errors);
        Delivery.Validate(errors);
        Pending.Validate(errors);
        Ordering.Validate(errors);
        Loop.Validate(errors);
        Shutdown.Validate(errors);
        Faults?.Validate(errors);
        if (Transport.Kind == TransportKind.InMemory && Membership.Mode != MembershipMode.Loopback)
            errors.Add(
                "Transport.Kind",
                $"InMemory reaches nodes of this process only, and Membership.Mode is {Membership.Mode}: "
                + "set that to Loopback");
        return errors;
    }

    /// <summary>Sum of the memory limits, in bytes.</summary>
    internal decimal LimitsBytes =>
        (decimal)Delivery.InboxMaxBytesPerNode + Pending.MaxBytesPerNode + Recovery.CacheBytes;

    /// <summary>Fixes the defaults of memory limits that are not set.</summary>
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
        copy.Security = Security.Copy();
        copy.RateControl = RateControl.Copy();
        copy.Recovery = Recovery.Copy();
        copy.Delivery = Delivery.Copy();
        copy.Pending = Pending.Copy();
        copy.Ordering = Ordering.Copy();
        copy.Loop = Loop.Copy();
        copy.Shutdown = Shutdown.Copy();
        copy.Faults = Faults?.Copy();
        return copy;
    }
}
