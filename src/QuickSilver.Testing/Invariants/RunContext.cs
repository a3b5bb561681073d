using System.Globalization;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Testing.Logs;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Probing;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing.Invariants;

/// <summary>What every part of a run shares: time, randomness, trace, and the making of failures.</summary>
internal sealed class RunContext(SimulationOptions options)
{
    private readonly Dictionary<ulong, ulong> _secrets = [];
    private WatchedSuite? _crypto;

    /// <summary>What the run was given.</summary>
    public SimulationOptions Options { get; } = options;

    /// <summary>Time.</summary>
    public VirtualClock Clock { get; } = new();

    /// <summary>Decisions.</summary>
    public SimulationRandom Random { get; } = new(options.Seed);

    /// <summary>The hash over everything observable.</summary>
    public TraceHash Trace { get; } = new();

    /// <summary>How often the run has reached each mark that is no counter.</summary>
    public Dictionary<string, ulong> Marks { get; } = [];

    /// <summary>The run reaches a mark.</summary>
    public void Mark(string mark) => CollectionsMarshal.GetValueRefOrAddDefault(Marks, mark, out _)++;

    /// <summary>True once a fault is planned: it may hold datagrams for longer than the network does.</summary>
    public bool HasFaults { get; set; }

    /// <summary>
    /// The longest that a datagram may be on its way, from its making to its reading, without faults.
    /// </summary>
    public TimeSpan LongestWay => HasFaults
        ? TimeSpan.FromDays(1)
        : Options.Network.Link.Delay + Options.Network.Link.Jitter + Options.Network.Link.ReorderDelay
            + TimeSpan.FromMilliseconds(20);

    /// <summary>The cryptography of all nodes and servers; null when datagrams are not sealed.</summary>
    public ICryptoSuite? Crypto => _crypto ??= MakeCrypto();

    /// <summary>The cryptography of a node on a machine; null when datagrams are not sealed.</summary>
    public ICryptoSuite? CryptoOf(int machine)
    {
        if (Crypto is not { } suite) return null;
        SealCiphers lesser = NodeCiphers.Lesser & suite.Ciphers;
        SealCiphers common = Options.LesserCiphers.Count > 0 ? lesser : suite.Ciphers;
        SealCiphers own = Options.LesserCiphers.Contains(machine) ? lesser : suite.Ciphers;
        return new NodeCiphers(this, suite, own, common.Preferred);
    }

    /// <summary>Sees all traffic; null: nobody does.</summary>
    public ITrafficTap? Tap { get; set; }

    /// <summary>What the applications saw; null: it is not kept.</summary>
    public RunLog? Log { get; } = options.KeepsLog ? new RunLog() : null;

    /// <summary>Writes down what an application saw, if that is wanted.</summary>
    public void Note(int node, string what) => Log?.Add(Now - Instant.Zero, node, what);

    /// <summary>The present instant.</summary>
    public Instant Now => Clock.Now;

    /// <summary>What a node, or the membership server, is given to report to and to ask.</summary>
    /// <param name="node">Index of the node; the number of nodes for the server.</param>
    public Probes ProbesOf(int node)
    {
        IBuggify? buggify = Options.BuggifySites == 0
            ? null : new BuggifyDraws(Random, node, Options.BuggifySites, Options.BuggifyChance);
        return new Probes(Marks, buggify);
    }

    /// <summary>
    /// K3: each view has a secret of its own, so a node that is in one knows nothing of those before and after it. Two
    /// secrets have two gates.
    /// </summary>
    public void CheckSecret(int node, ViewKeys view)
    {
        ulong gate = view.Gate.Of([]);
        if (_secrets.TryAdd(gate, view.Number) || _secrets[gate] == view.Number) return;
        throw Violation("K3", $"node {node} has been told one secret of two views");
    }

    private WatchedSuite? MakeCrypto()
    {
        if (Options.Sealing == Sealing.None) return null;
        var random = new SeededRandom(Random.Draw(RandomStream.Node, ulong.MaxValue, 0, 0));
        ICryptoSuite suite = Options.Sealing == Sealing.StandIn
            ? new StandInSuite(random)
            : new CipherSuite(NodeCiphers.All & CipherSuite.OfPlatform, fill: bytes =>
            {
                for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)random.NextUInt64();
            });
        return new WatchedSuite(this, suite);
    }

    /// <summary>A failure, to be thrown by the caller.</summary>
    /// <param name="invariant">Id of the invariant.</param>
    /// <param name="seen">What was seen.</param>
    /// <param name="cause">What came out of the core; null when nothing did.</param>
    public InvariantViolationException Violation(string invariant, string seen, Exception? cause = null)
    {
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"{invariant}: {seen} [seed {Options.Seed}, {Options.Nodes} nodes, at {Now}, trace {Trace.Value:x16} after "
                + $"{Trace.Count} events]");
        return new InvariantViolationException(
            invariant, Options.ReplayHint.Length == 0 ? text : $"{text} Replay: {Options.ReplayHint}", cause);
    }
}
