namespace QuickSilver.Protocol.Core;

/// <summary>
/// Gives back the memory that collections took for a burst: once they are less than a quarter full. What remains is
/// copied then, so a removal pays at most a constant share of it. Small collections keep their room.
/// </summary>
internal static class SpareRoom
{
    private const int Kept = 1024;

    /// <summary>Gives back the spare room of a dictionary.</summary>
    public static void GiveBack<TKey, TValue>(Dictionary<TKey, TValue> dictionary)
        where TKey : notnull
    {
        if (IsSpare(dictionary.Count, dictionary.EnsureCapacity(0))) dictionary.TrimExcess();
    }

    /// <summary>Gives back the spare room of a set.</summary>
    public static void GiveBack<T>(HashSet<T> set)
    {
        if (IsSpare(set.Count, set.EnsureCapacity(0))) set.TrimExcess();
    }

    /// <summary>Gives back the spare room of a list.</summary>
    public static void GiveBack<T>(List<T> list)
    {
        if (IsSpare(list.Count, list.Capacity)) list.TrimExcess();
    }

    /// <summary>True for a collection that has room for more than four times what it holds.</summary>
    public static bool IsSpare(int count, int capacity) => capacity > Kept && count < capacity / 4;
}
