# In a clone of VLMEvalKit: sed -i -f register.sed vlmeval/dataset/__init__.py
s/^from \.emma import EMMADataset$/&\nfrom .enact import ENACT/
s/EMMADataset, MME_CoT/EMMADataset, ENACT, MME_CoT/
