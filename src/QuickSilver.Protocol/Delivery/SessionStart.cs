using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>The step with which sessions began: one object for all groups that a step brought, as thousands may come
/// with one. Immutable.</summary>
/// <param name="step">The step.</param>
internal sealed class SessionStart(StepNumber step)
{
    /// <summary>That of a session that has ended: later than any step, so no message is for it.</summary>
    public static readonly SessionStart Never =
        new(new StepNumber(new Epoch(ulong.MaxValue, ulong.MaxValue), ulong.MaxValue));

    /// <summary>The step.</summary>
    public StepNumber Step { get; } = step;
}
