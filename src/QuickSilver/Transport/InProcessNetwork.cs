using System.Net;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A network between the nodes of one process: multicast and unicast without sockets, with a finite receive buffer for each endpoint, so that it
/// loses what a kernel would lose. Trains travel whole. Any thread: nodes attach and detach under a lock, senders read an immutable picture.
/// </summary>
internal sealed class InProcessNetwork
{
    private const uint LoopbackAddress = 0x7F000001;
    private const int FirstPort = 20_000;

    private readonly Lock _changing = new();
    private int _nextPort = FirstPort;
    private Picture _picture = new([], []);

    /// <summary>The network that nodes of this process use unless told otherwise.</summary>
    public static InProcessNetwork Default { get; } = new();

    /// <summary>Attaches an inbox under an endpoint of its own.</summary>
    public NetEndpoint Attach(InProcessInbox inbox)
    {
        lock (_changing)
        {
            var unicast = new Dictionary<NetEndpoint, InProcessInbox>(_picture.Unicast);
            NetEndpoint endpoint = FreeEndpoint(unicast);
            unicast.Add(endpoint, inbox);
            Volatile.Write(ref _picture, new Picture(unicast, _picture.Groups));
            return endpoint;
        }
    }

    /// <summary>Takes an endpoint off the network.</summary>
    public void Detach(NetEndpoint endpoint)
    {
        lock (_changing)
        {
            var unicast = new Dictionary<NetEndpoint, InProcessInbox>(_picture.Unicast);
            unicast.Remove(endpoint);
            Volatile.Write(ref _picture, new Picture(unicast, _picture.Groups));
        }
    }

    /// <summary>Lets an inbox receive what is sent to a group.</summary>
    public void Join(NetEndpoint group, InProcessInbox inbox) => ChangeMembers(group, members => [.. members, inbox]);

    /// <summary>Undoes <see cref="Join"/>.</summary>
    public void Leave(NetEndpoint group, InProcessInbox inbox) => ChangeMembers(group, members => Array.FindAll(members, member => member != inbox));

    /// <summary>Sends a train to an endpoint; one that nobody has is lost.</summary>
    public void SendTo(NetEndpoint source, NetEndpoint endpoint, ReadOnlySpan<byte> train)
    {
        if (Volatile.Read(ref _picture).Unicast.TryGetValue(endpoint, out InProcessInbox? inbox)) inbox.Deliver(source, train);
    }

    /// <summary>Sends a train to all members of a group, the sender included if it is one.</summary>
    public void SendToGroup(NetEndpoint source, NetEndpoint group, ReadOnlySpan<byte> train)
    {
        if (!Volatile.Read(ref _picture).Groups.TryGetValue(group, out InProcessInbox[]? members)) return;
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
            var groups = new Dictionary<NetEndpoint, InProcessInbox[]>(_picture.Groups);
            InProcessInbox[] members = change(groups.GetValueOrDefault(group, []));
            if (members.Length == 0) groups.Remove(group);
            else groups[group] = members;
            Volatile.Write(ref _picture, new Picture(_picture.Unicast, groups));
        }
    }

    private sealed record Picture(Dictionary<NetEndpoint, InProcessInbox> Unicast, Dictionary<NetEndpoint, InProcessInbox[]> Groups);
}
