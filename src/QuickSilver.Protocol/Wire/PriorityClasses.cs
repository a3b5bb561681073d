namespace QuickSilver.Protocol.Wire;

/// <summary>Facts about <see cref="PriorityClass"/>.</summary>
internal static class PriorityClasses
{
    /// <summary>Number of classes; their values run from 0.</summary>
    public const int Count = 4;
}
