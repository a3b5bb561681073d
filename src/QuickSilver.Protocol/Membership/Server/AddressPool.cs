using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The budget of multicast addresses. A view gets the address with the fewest users, and of those the one unused for
/// longest. So addresses are shared only when the pool is exhausted, and evenly. A released address counts as used
/// until it has lingered, since late packets may still travel to it.
/// Every use of an address takes its next port, so the kernel separates two views on one address until the ports run
/// out too. After that only tag and view number separate them. Cost: O(log addresses).
/// </summary>
internal sealed class AddressPool
{
    private readonly MembershipServerSettings _settings;
    private readonly int[] _users;
    private readonly uint[] _uses;
    private readonly ulong[] _order;
    private readonly SortedSet<int> _ranking;
    private readonly Queue<(Instant Due, int Index)> _lingering = new();
    private ulong _releases;

    /// <summary>Makes the pool that the settings describe; it may be empty.</summary>
    public AddressPool(MembershipServerSettings settings)
    {
        _settings = settings;
        int count = settings.MulticastFirst == default ? 0 : Math.Max(0, settings.MulticastCount);
        _users = new int[count];
        _uses = new uint[count];
        _order = new ulong[count];
        _ranking = new SortedSet<int>(Comparer<int>.Create(Compare));
        for (int index = 0; index < count; index++) _ranking.Add(index);
    }

    /// <summary>True when the pool has no address: every region is carried by unicast.</summary>
    public bool IsEmpty => _users.Length == 0;

    /// <summary>Takes an address. The pool must not be empty.</summary>
    /// <returns>The endpoint, and the index by which to release it.</returns>
    public (NetEndpoint Endpoint, int Index) Take(Instant now)
    {
        Debug.Assert(!IsEmpty, "the pool has addresses");
        while (_lingering.TryPeek(out (Instant Due, int Index) rested) && rested.Due <= now)
        {
            _lingering.Dequeue();
            ChangeUsers(rested.Index, -1);
        }
        int index = _ranking.Min;
        if (_users[index] > 0) _settings.Probes.Reached("two views share a multicast address");
        else if (_uses[index] > 0) _settings.Probes.Reached("a multicast address is used again");
        ChangeUsers(index, 1);
        uint ports = (uint)Math.Clamp(_settings.PortCount, 1, ushort.MaxValue + 1 - _settings.PortFirst);
        uint port = _settings.PortFirst + (_uses[index]++ % ports);
        return (new NetEndpoint(_settings.MulticastFirst.Plus((uint)index), (ushort)port), index);
    }

    /// <summary>Reserves an address that a former server has given to a view.</summary>
    /// <returns>The index by which to release it; -1 when it is not in this pool.</returns>
    public int Reserve(NetEndpoint endpoint)
    {
        int index = endpoint.Address.DistanceFrom(_settings.MulticastFirst);
        if (endpoint.IsNone || index < 0 || index >= _users.Length) return -1;
        ChangeUsers(index, 1);
        return index;
    }

    /// <summary>Releases an address; it lingers first.</summary>
    public void Release(int index, Instant now) => _lingering.Enqueue((now + _settings.AddressLinger, index));

    private void ChangeUsers(int index, int change)
    {
        Debug.Assert(_users[index] + change >= 0, "an address is released once for each use");
        _ranking.Remove(index);
        _users[index] += change;
        if (change < 0) _order[index] = ++_releases;
        _ranking.Add(index);
    }

    private int Compare(int a, int b)
    {
        int byUsers = _users[a].CompareTo(_users[b]);
        if (byUsers != 0) return byUsers;
        int byRest = _order[a].CompareTo(_order[b]);
        return byRest != 0 ? byRest : a.CompareTo(b);
    }
}
