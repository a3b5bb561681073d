namespace QuickSilver.Protocol.Wire;

/// <summary>Facts about <see cref="PriorityClass"/>.</summary>
public static class PriorityClasses
{
    /// <summary>How many classes there are; their values run from 0.</summary>
    public const int Count = 4;
}
