namespace QuickSilver.Protocol.Membership.Server;

/// <summary>Sets of counters as rising arrays. An operation is one merge, O(a + b), and allocates its result.</summary>
internal static class SortedCounters
{
    /// <summary>The counters of <paramref name="left"/> that are not in <paramref name="right"/>.</summary>
    public static uint[] Except(uint[] left, uint[] right)
    {
        uint[] result = new uint[left.Length];
        int count = 0;
        int other = 0;
        foreach (uint counter in left)
        {
            while (other < right.Length && right[other] < counter) other++;
            if (other == right.Length || right[other] != counter) result[count++] = counter;
        }
        return count == result.Length ? result : result[..count];
    }

    /// <summary>The counters of either set.</summary>
    public static uint[] Union(uint[] left, uint[] right)
    {
        uint[] result = new uint[left.Length + right.Length];
        int count = 0;
        int a = 0;
        int b = 0;
        while (a < left.Length || b < right.Length)
        {
            if (b == right.Length || (a < left.Length && left[a] < right[b])) result[count++] = left[a++];
            else if (a == left.Length || right[b] < left[a]) result[count++] = right[b++];
            else
            {
                result[count++] = left[a++];
                b++;
            }
        }
        return count == result.Length ? result : result[..count];
    }

    /// <summary>How many counters are in both sets.</summary>
    public static int CountShared(uint[] left, uint[] right)
    {
        int count = 0;
        for (int a = 0, b = 0; a < left.Length && b < right.Length;)
        {
            uint one = left[a];
            uint other = right[b];
            if (one == other) count++;
            if (one <= other) a++;
            if (other <= one) b++;
        }
        return count;
    }

    /// <summary>True when all counters of <paramref name="part"/> are in <paramref name="whole"/>.</summary>
    public static bool IsSubset(uint[] part, uint[] whole) => CountShared(part, whole) == part.Length;

    /// <summary>True when the counter is in the set. O(log n).</summary>
    public static bool Contains(uint[] set, uint counter) => Array.BinarySearch(set, counter) >= 0;
}
