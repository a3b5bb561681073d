namespace QuickSilver.Membership;

/// <summary>Receives the frames of a <see cref="FrameConnection"/>. Called by its receiving task, one call at a
/// time.</summary>
internal interface IFrameReceiver
{
    /// <summary>
    /// Takes ownership of a batch. The implementation calls <see cref="FrameBatch.Return"/> and
    /// <see cref="FrameConnection.OnHandled"/> once the frames are handled.
    /// </summary>
    void OnFrames(FrameConnection connection, FrameBatch frames);
}
