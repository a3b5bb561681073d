using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class AesSharedSealingTests() : SharedSealingTests(SealCipher.Aes256Gcm, SealCipher.Aes256Gcm);
