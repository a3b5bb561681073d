namespace QuickSilver.Membership;

/// <summary>Where a <see cref="FrameConnection"/> puts what it receives; called by its receiving task, one call at a time.</summary>
internal interface IFrameReceiver
{
    /// <summary>
    /// Takes frames over; calls <see cref="FrameBatch.Return"/> and <see cref="FrameConnection.OnHandled"/> when they have been handled.
    /// </summary>
    void OnFrames(FrameConnection connection, FrameBatch frames);
}
