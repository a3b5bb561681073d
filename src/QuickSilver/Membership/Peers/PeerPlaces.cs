using System.Net;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Membership.Peers;

/// <summary>Where the processes of an election may be found: the configured places, the voters, and those that have
/// asked lately. Any thread.</summary>
/// <param name="seeds">The configured places.</param>
/// <param name="discovery">Finds further places; null for none.</param>
internal sealed class PeerPlaces(IReadOnlyList<(string Host, int Port)> seeds, ServerDiscovery? discovery)
{
    private const int MostHeard = 64;
    private static readonly TimeSpan ResolveTime = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly LinkedList<NetEndpoint> _heard = [];
    private volatile IReadOnlyList<(string Host, int Port)> _seeds = seeds;

    /// <summary>Takes other configured places.</summary>
    public void ChangeSeeds(IReadOnlyList<(string Host, int Port)> seeds) => _seeds = seeds;

    /// <summary>A process has asked; its host has made sure that it is there.</summary>
    public void OnHeard(NetEndpoint place)
    {
        if (place.Port == 0) return;
        lock (_lock)
        {
            _heard.Remove(place);
            _heard.AddFirst(place);
            if (_heard.Count > MostHeard) _heard.RemoveLast();
        }
    }

    /// <summary>All places but the own one; names are resolved again each time.</summary>
    /// <param name="known">The electorate; null for none.</param>
    /// <param name="own">The own place.</param>
    /// <param name="stop">Ends the wait for a resolver.</param>
    public async ValueTask<IReadOnlyCollection<IPEndPoint>> AllAsync(
        Electorate? known, NetEndpoint own, CancellationToken stop)
    {
        var places = new HashSet<IPEndPoint>();
        IReadOnlyList<(string Host, int Port)> found = [];
        if (discovery is not null)
        {
            // Each process that announces itself has done so once before anything is concluded from silence.
            await discovery.ListenAsync(stop).ConfigureAwait(false);
            found = await discovery.FindAsync(withCandidates: true, stop).ConfigureAwait(false);
        }
        foreach ((string host, int port) in _seeds.Concat(found))
        {
            (IPAddress[] addresses, _) = await HostAddresses.FindAsync(host, ResolveTime, stop).ConfigureAwait(false);
            foreach (IPAddress address in addresses) places.Add(new IPEndPoint(address, port));
        }
        foreach (VoterInfo voter in known?.All ?? []) places.Add(AddressForms.ToEndPoint(voter.Place));
        lock (_lock)
        {
            foreach (NetEndpoint place in _heard) places.Add(AddressForms.ToEndPoint(place));
        }
        places.Remove(AddressForms.ToEndPoint(own));
        return places;
    }
}
