using System.Net;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A network between the nodes of one process, with multicast and unicast but without sockets. Each endpoint has a
/// finite receive buffer, so that losses occur as with a kernel. Trains stay whole. Any thread: nodes attach and detach
/// under a lock, senders read an immutable snapshot.
/// </summary>
internal sealed class InProcessNetwork
{
    private const uint LoopbackAddress = 0x7F000001;
    private const int FirstPort = 20_000;

    private readonly Lock _changing = new();
    private int _nextPort = FirstPort;
    private Snapshot _snapshot = new([], []);

    /// <summary>The default network of this process.</summary>
    public static InProcessNetwork Default { get; } = new();

    /// <summary>Attaches an inbox under a new endpoint.</summary>
    public NetEndpoint Attach(InProcessInbox inbox)
    {
        lock (_changing)
        {
            var unicast = new Dictionary<NetEndpoint, InProcessInbox>(_snapshot.Unicast);
            NetEndpoint endpoint = FreeEndpoint(unicast);
            unicast.Add(endpoint, inbox);
            Volatile.Write(ref _snapshot, new Snapshot(unicast, _snapshot.Groups));
            return endpoint;
        }
    }

    /// <summary>Removes an endpoint from the network.</summary>
    public void Detach(NetEndpoint endpoint)
    {
        lock (_changing)
        {
            var unicast = new Dictionary<NetEndpoint, InProcessInbox>(_snapshot.Unicast);
            unicast.Remove(endpoint);
            Volatile.Write(ref _snapshot, new Snapshot(unicast, _snapshot.Groups));
        }
    }

    /// <summary>Adds an inbox to a group.</summary>
    public void Join(NetEndpoint group, InProcessInbox inbox) => ChangeMembers(group, members => [.. members, inbox]);

    /// <summary>Removes an inbox from a group.</summary>
    public void Leave(NetEndpoint group, InProcessInbox inbox) =>
        ChangeMembers(group, members => Array.FindAll(members, member => member != inbox));

    /// <summary>Sends a train to an endpoint; a train to an unknown endpoint is lost.</summary>
    public void SendTo(NetEndpoint source, NetEndpoint endpoint, ReadOnlySpan<byte> train)
    {
        if (Volatile.Read(ref _snapshot).Unicast.TryGetValue(endpoint, out InProcessInbox? inbox))
            inbox.Deliver(source, train);
    }

    /// <summary>Sends a train to all members of a group, including the sender if it is a member.</summary>
    public void SendToGroup(NetEndpoint source, NetEndpoint group, ReadOnlySpan<byte> train)
    {
        if (!Volatile.Read(ref _snapshot).Groups.TryGetValue(group, out InProcessInbox[]? members)) return;
        foreach (InProcessInbox member in members) member.Deliver(source, train);
    }

    private NetEndpoint FreeEndpoint(Dictionary<NetEndpoint, InProcessInbox> taken)
    {
        while (true)
        {
            if (_nextPort > IPEndPoint.MaxPort) _nextPort = FirstPort;
            var endpoint = new NetEndpoint(LoopbackAddress, (ushort)_nextPort++);
            if (!taken.ContainsKey(endpoint)) return endpoint;
        }
    }

    private void ChangeMembers(NetEndpoint group, Func<InProcessInbox[], InProcessInbox[]> change)
    {
        lock (_changing)
        {
            var groups = new Dictionary<NetEndpoint, InProcessInbox[]>(_snapshot.Groups);
            InProcessInbox[] members = change(groups.GetValueOrDefault(group, []));
            if (members.Length == 0) groups.Remove(group);
            else groups[group] = members;
            Volatile.Write(ref _snapshot, new Snapshot(_snapshot.Unicast, groups));
        }
    }

    private sealed record Snapshot(
        Dictionary<NetEndpoint, InProcessInbox> Unicast, Dictionary<NetEndpoint, InProcessInbox[]> Groups);
}
