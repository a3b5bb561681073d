using System.Diagnostics;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Targets;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Fuzz.Worlds;

/// <summary>
/// Whole nodes in simulated clusters, with damaged copies of the real traffic beside it. Damage that a checksum notices
/// changes nothing: every promise
/// of the simulator holds, and the run settles. Lies, whose checksums are right, may make a node believe what is not
/// so, and a run ends when a promise is seen broken by it; but nothing throws, nothing spins, and memory stays within
/// its caps.
/// </summary>
/// <param name="lies">Whether checksums are repaired.</param>
/// <param name="corpus">Datagrams to splice with.</param>
/// <param name="seed">Of everything.</param>
internal sealed class NodeWorld(bool lies, byte[][] corpus, ulong seed) : ITrafficTap
{
    private const int Nodes = 5;
    private const int LongestDatagram = 4096;
    private const int ForgedOneIn = 2;
    private const int SharedBlocks = 8;
    private static readonly string[] Deadly = ["E1", "R1", "R4"];

    private Mutator _mutator = new(seed, corpus, LongestDatagram);
    private long _forged;
    private long _believed;

    /// <summary>Runs clusters until so many copies have been added.</summary>
    public FuzzResult Run(string name, long inputs)
    {
        long start = Stopwatch.GetTimestamp();
        string? failure = null;
        for (ulong run = 0; _forged < inputs && failure is null; run++)
        {
            long before = _forged;
            failure = RunOne(seed + run);
            if (_forged == before) failure ??= "nothing was sent";
        }
        return new FuzzResult(name, _forged, _believed, 0, Stopwatch.GetElapsedTime(start), failure);
    }

    /// <inheritdoc/>
    public void OnDatagram(ReadOnlySpan<byte> datagram)
    {
        // What is copied is seen when it is on its way.
    }

    /// <inheritdoc/>
    public void OnFrame(bool fromServer, ReadOnlySpan<byte> frame)
    {
        // Frames have a world of their own.
    }

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Forge(ReadOnlySpan<byte> datagram)
    {
        if (_mutator.Below(ForgedOneIn) != 0) return [];
        Span<byte> forged = _mutator.NextOf(datagram);
        if (lies && _mutator.Below(8) != 0) Seal.Repair(forged);
        _forged++;
        return forged;
    }

    private string? RunOne(ulong run)
    {
        _mutator = new Mutator(run, corpus, LongestDatagram);
        try
        {
            Live(run);
            return null;
        }
        catch (InvariantViolationException broken) when (lies && !Deadly.Contains(broken.Invariant))
        {
            // A lie was believed: checksums guard against damage, not against malice.
            _believed++;
            return null;
        }
        catch (InvariantViolationException broken) when (lies && broken.Invariant == "E1"
            && broken.InnerException is null)
        {
            _believed++;
            return null;
        }
        catch (Exception failure)
        {
            return $"seed {run}: {failure}";
        }
    }

    private void Live(ulong run)
    {
        var options = new SimulationOptions
        {
            Nodes = Nodes,
            Seed = run,
            Network = new NetworkModel
            {
                Link = new LinkModel { Loss = 0.03, Reordering = 0.02 },
                SharedBlocks = run % 2 == 0 ? SharedBlocks : 0
            },
        };
        options = options with { Membership = options.Membership with { Replication = 2 } };
        var cluster = new SimulatedCluster(options) { Tap = this };
        cluster.JoinAll("all", "most");
        for (int node = 0; node < 3; node++)
        {
            cluster.Start(new SendPlan(node, node == 2 ? "most" : "all", 400, TimeSpan.FromMilliseconds(2))
            {
                MinBytes = 1,
                MaxBytes = node == 2 ? 4000 : 200,
            });
        }
        cluster.After(TimeSpan.FromMilliseconds(300), () => cluster.Nodes[4].Join("own"));
        cluster.After(TimeSpan.FromMilliseconds(600), () =>
        {
            if (cluster.Nodes[3].FindGroup("most") is not null) cluster.Nodes[3].Leave("most");
        });
        cluster.Inject(new NodeCrash(TimeSpan.FromMilliseconds(700 + (long)(run % 400)), 4));
        cluster.RunFor(TimeSpan.FromSeconds(2));
        if (lies) return;
        cluster.Settle(TimeSpan.FromSeconds(40));
        cluster.Shutdown();
    }
}
