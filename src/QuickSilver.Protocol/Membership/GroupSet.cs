using System.Collections;
using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// Ids of groups of one cluster, rising. All share the epoch of the cluster's first server, so only their counters are
/// kept: four bytes a group. Immutable; the default value is empty.
/// </summary>
[CollectionBuilder(typeof(GroupSet), nameof(Create))]
internal readonly struct GroupSet : IEnumerable<GroupId>
{
    private readonly uint[]? _counters;
    private readonly Epoch _epoch;

    /// <summary>Makes a set.</summary>
    /// <param name="epoch">The epoch of all ids.</param>
    /// <param name="counters">Their counters, rising. The array is kept and must not change afterwards.</param>
    public GroupSet(Epoch epoch, uint[] counters)
    {
        _epoch = epoch;
        _counters = counters;
    }

    /// <summary>Number of groups.</summary>
    public int Length => _counters?.Length ?? 0;

    /// <summary>Counters of the ids, rising.</summary>
    public ReadOnlySpan<uint> Counters => _counters;

    /// <summary>The id at an index.</summary>
    /// <exception cref="IndexOutOfRangeException">The index is not less than <see cref="Length"/>.</exception>
    public GroupId this[int index] => new(_epoch, Counters[index]);

    /// <summary>Makes a set of ids of one epoch, rising.</summary>
    public static GroupSet Create(ReadOnlySpan<GroupId> groups)
    {
        uint[] counters = new uint[groups.Length];
        for (int index = 0; index < counters.Length; index++) counters[index] = groups[index].Counter;
        return groups.IsEmpty ? default : new GroupSet(groups[0].Epoch, counters);
    }

    /// <summary>Index of a group, or negative. O(log n).</summary>
    public int IndexOf(GroupId group) => group.Epoch == _epoch ? Counters.BinarySearch(group.Counter) : -1;

    /// <summary>Enumerates the ids; allocates nothing.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<GroupId> IEnumerable<GroupId>.GetEnumerator()
    {
        for (int index = 0; index < Length; index++) yield return this[index];
    }

    IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable<GroupId>)this).GetEnumerator();

    /// <summary>Enumerates a set.</summary>
    /// <param name="groups">The set to enumerate.</param>
    public struct Enumerator(GroupSet groups)
    {
        private int _index = -1;

        /// <summary>The id at the present position.</summary>
        public readonly GroupId Current => groups[_index];

        /// <summary>Moves to the next id.</summary>
        public bool MoveNext() => ++_index < groups.Length;
    }
}
